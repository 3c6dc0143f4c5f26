import { createHash } from 'node:crypto'
import type { ErrorCode } from '../../canonical/error-table.ts'
import type { Channel } from '../../catalog/channel.ts'
import type { Candidate } from '../candidate.ts'
import { CircuitBreaker } from './circuit-breaker.ts'
import { SlidingCounts } from './sliding-counts.ts'

/** Models of credentials that are kept in mind at most; beyond it, those that are well are forgotten first. */
const MOST_MODELS = 10_000

export class ModelRecord {
  readonly gate = new CircuitBreaker()
  /** Its calls; those that failed are marked. */
  readonly window: SlidingCounts
  lastFailure: ErrorCode | undefined = undefined
  constructor(windowMs: number) {
    this.window = new SlidingCounts(windowMs)
  }
}

export class CredentialRecord {
  readonly gate = new CircuitBreaker()
  readonly models = new Map<string, ModelRecord>()
  readonly secret: string | undefined
  constructor(secret: string | undefined) {
    this.secret = secret
  }
}

export class ChannelRecord {
  readonly gate = new CircuitBreaker()
  /** Its calls; those that failed are marked. */
  readonly window: SlidingCounts
  readonly credentials = new Map<string, CredentialRecord>()
  /** Where the channel led when this was learned: what is known of one place says nothing of another. */
  readonly place: string
  constructor(channel: Channel) {
    this.place = placeOf(channel)
    this.window = new SlidingCounts(windowOf(channel))
  }
}

/** What is known of one candidate, on all three levels. */
export interface Trail {
  readonly channel: ChannelRecord
  readonly credential: CredentialRecord
  readonly model: ModelRecord
}

/** The records by channel, credential and model. A channel with another address, or another secret, begins anew. */
export class HealthTable {
  readonly channels = new Map<string, ChannelRecord>()
  #models = 0

  findChannel({ target }: Candidate): ChannelRecord | undefined {
    const record = this.channels.get(target.channel.name)
    return record === undefined || record.place !== placeOf(target.channel) ? undefined : record
  }

  findCredential(channel: ChannelRecord, { credential }: Candidate): CredentialRecord | undefined {
    const record = channel.credentials.get(credential?.id ?? '')
    return record === undefined || record.secret !== credential?.secret ? undefined : record
  }

  /** Makes what is not there yet. */
  reach(candidate: Candidate): Trail {
    const { target, credential: key } = candidate
    let channel = this.findChannel(candidate)
    if (channel === undefined) {
      channel = new ChannelRecord(target.channel)
      this.forget(target.channel.name)
      this.channels.set(target.channel.name, channel)
    }
    let credential = this.findCredential(channel, candidate)
    if (credential === undefined) {
      credential = new CredentialRecord(key?.secret)
      this.#models -= channel.credentials.get(key?.id ?? '')?.models.size ?? 0
      channel.credentials.set(key?.id ?? '', credential)
    }
    let model = credential.models.get(target.upstreamModel)
    if (model === undefined) {
      this.#makeRoom()
      model = new ModelRecord(windowOf(target.channel))
      credential.models.set(target.upstreamModel, model)
      this.#models += 1
    }
    return { channel, credential, model }
  }

  /** Whether anything has not been opened since it was shut. */
  holdsOpen(): boolean {
    for (const { gate, credentials } of this.channels.values()) {
      if (gate.reason !== undefined) return true
      for (const credential of credentials.values()) {
        if (credential.gate.reason !== undefined) return true
        for (const model of credential.models.values()) {
          if (model.gate.reason !== undefined) return true
        }
      }
    }
    return false
  }

  forget(channelName: string): void {
    for (const { models } of this.channels.get(channelName)?.credentials.values() ?? []) {
      this.#models -= models.size
    }
    this.channels.delete(channelName)
  }

  #makeRoom(): void {
    if (this.#models < MOST_MODELS) return
    this.#drop(({ gate }) => gate.reason === undefined)
    if (this.#models >= MOST_MODELS) this.#drop(() => true)
  }

  #drop(isToGo: (record: ModelRecord) => boolean): void {
    for (const { credentials } of this.channels.values()) {
      for (const { models } of credentials.values()) {
        for (const [name, record] of models) {
          if (!isToGo(record)) continue
          models.delete(name)
          this.#models -= 1
        }
      }
    }
  }
}

function windowOf({ breaker }: Channel): number {
  return breaker?.windowMs ?? 10_000
}

function placeOf({ baseUrl }: Channel): string {
  return baseUrl
}

/** Tells one secret from another without holding it: 48 bits of its digest. */
export function fingerprintOf(secret: string | undefined): string {
  return secret === undefined ? '' : createHash('sha256').update(secret).digest('hex').slice(0, 12)
}
