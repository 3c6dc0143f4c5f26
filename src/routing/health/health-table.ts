import { createHash } from 'node:crypto'
import type { ErrorCode } from '../../canonical/error-table.ts'
import type { Channel } from '../../catalog/channel.ts'
import type { Candidate, ModelOperation } from '../candidate.ts'
import { SlidingCounts } from '../sliding-counts.ts'
import type { HealthScope } from './assess-health-impact.ts'
import { CircuitBreaker } from './circuit-breaker.ts'

/** The maximum number of models in memory, over all credentials. Above it, healthy models are forgotten first. */
const MAX_MODELS = 10_000

class ModelRecord {
  readonly circuit = new CircuitBreaker()
  /** The calls. Failed calls are marked. */
  readonly window: SlidingCounts
  lastFailure: ErrorCode | undefined = undefined
  constructor(windowMs: number) {
    this.window = new SlidingCounts(windowMs)
  }
}

class CredentialRecord {
  readonly circuit = new CircuitBreaker()
  readonly models = new Map<string, ModelRecord>()
  readonly secret: string | undefined
  constructor(secret: string | undefined) {
    this.secret = secret
  }
}

class ChannelRecord {
  readonly circuit = new CircuitBreaker()
  /** The calls. Failed calls are marked. */
  readonly window: SlidingCounts
  readonly credentials = new Map<string, CredentialRecord>()
  /** The channel's address. The health of one address is no evidence about another. */
  readonly baseUrl: string
  constructor(channel: Channel) {
    this.baseUrl = channel.baseUrl
    this.window = new SlidingCounts(windowOf(channel))
  }
}

/** The records of one candidate, on all three levels. */
export interface CandidateRecords {
  readonly channel: ChannelRecord
  readonly credential: CredentialRecord
  readonly model: ModelRecord
}

type NamedCircuit = readonly [HealthScope, CircuitBreaker]

export function allCircuits({ channel, credential, model }: CandidateRecords): readonly NamedCircuit[] {
  return [
    ['channel', channel.circuit],
    ['credential', credential.circuit],
    ['model', model.circuit],
  ]
}

/** The circuit breakers that concern an operation. */
export function circuitsOf(records: CandidateRecords, operation: ModelOperation): readonly NamedCircuit[] {
  return allCircuits(records).filter(([, circuit]) => circuit.concerns(operation))
}

/**
 * The records by channel, credential and model. A channel with a new address, or a credential with a new secret, starts
 * without records.
 */
export class HealthTable {
  readonly channels = new Map<string, ChannelRecord>()
  #models = 0

  findChannel({ target }: Candidate): ChannelRecord | undefined {
    const record = this.channels.get(target.channel.name)
    return record === undefined || record.baseUrl !== target.channel.baseUrl ? undefined : record
  }

  findCredential(channel: ChannelRecord, { credential }: Candidate): CredentialRecord | undefined {
    const record = channel.credentials.get(credential?.id ?? '')
    return record === undefined || record.secret !== credential?.secret ? undefined : record
  }

  getOrCreate(candidate: Candidate): CandidateRecords {
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

  /** Whether any circuit breaker tripped and has not closed since. */
  hasTripped(): boolean {
    for (const { circuit, credentials } of this.channels.values()) {
      if (circuit.reason !== undefined) return true
      for (const credential of credentials.values()) {
        if (credential.circuit.reason !== undefined) return true
        for (const model of credential.models.values()) {
          if (model.circuit.reason !== undefined) return true
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
    if (this.#models < MAX_MODELS) return
    this.#drop(({ circuit }) => circuit.reason === undefined)
    if (this.#models >= MAX_MODELS) this.#drop(() => true)
  }

  #drop(matches: (record: ModelRecord) => boolean): void {
    for (const { credentials } of this.channels.values()) {
      for (const { models } of credentials.values()) {
        for (const [name, record] of models) {
          if (!matches(record)) continue
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

/** Distinguishes secrets without storing them: 48 bits of the digest. */
export function fingerprintOf(secret: string | undefined): string {
  return secret === undefined ? '' : createHash('sha256').update(secret).digest('hex').slice(0, 12)
}
