import { GatewayError } from '../../canonical/failure.ts'
import type { Target } from '../../catalog/catalog.ts'
import type { Channel } from '../../catalog/channel.ts'
import type { PriceVersion } from '../../catalog/prices/price.ts'
import { priceAt } from '../../catalog/prices/price-history.ts'
import { BodyBytes } from '../../kit/json/body-bytes.ts'
import type { Candidate } from '../../routing/candidate.ts'
import { messagesFormat } from '../../wire/messages/format.ts'
import type { NamedObject } from '../../wire/verbatim/named-object.ts'
import { costOfLine } from '../batches/line-cost.ts'
import type { ObjectCall } from '../batches/object-input.ts'
import type { OpenLine } from '../batches/read-batch-input.ts'
import type { Exchange } from '../exchange/exchange.ts'
import { refuseSteering } from '../lane/refuse-steering.ts'
import { findReferences } from '../references/find-references.ts'
import { ReferredObjects } from '../references/resolve-references.ts'
import type { FoundOwner } from '../retrieval/owner-lane.ts'
import { type MessageRequest, readMessageRequests, requestFault } from './read-message-requests.ts'
import { digestRequest } from './request-digest.ts'

/** The requests of one model. */
export interface PlannedPart {
  readonly candidate: FoundOwner['candidate']
  /** Undefined where the model has no price. */
  readonly worst: { readonly cost: number; readonly priceVersion: string } | undefined
  /** The digest of each request's `custom_id`. */
  readonly digests: readonly string[]
}

export interface PlannedBatch {
  readonly owner: FoundOwner
  readonly parts: readonly PlannedPart[]
  /** The body for the provider. */
  readonly bytes: readonly Buffer[]
}

/**
 * Reads every request of a batch. Each is checked like a separate request, and one account must serve all of them.
 * Rejects with `GatewayError`.
 */
export async function planMessageBatch(call: ObjectCall, openLine: OpenLine): Promise<PlannedBatch> {
  const planner = new BatchPlanner(call, openLine)
  const { body } = call.request
  // The requests are read twice. The account, and so the costs, are known only after all requests were read.
  for await (const request of readMessageRequests(body)) await planner.look(request)
  const owner = planner.choose()
  for await (const request of readMessageRequests(body)) planner.add(request, owner)
  return { owner, ...planner.end() }
}

interface GrowingPart {
  readonly candidate: FoundOwner['candidate']
  readonly price: PriceVersion | undefined
  cost: number
  readonly digests: string[]
}

/** The size up to which the pieces of a body are joined. */
const PIECE_BYTES = 64 * 1024

class BatchPlanner {
  readonly #call: ObjectCall
  readonly #openLine: OpenLine
  readonly #objects: ReferredObjects
  /** The channels that serve all models so far; undefined before the first request. */
  #channels: readonly Channel[] | undefined
  readonly #parts = new Map<string, GrowingPart>()
  readonly #pieces: Buffer[] = []
  #waiting: Buffer[] = [Buffer.from('{"requests":[')]
  #waitingBytes = 0
  #hasRequests = false

  constructor(call: ObjectCall, openLine: OpenLine) {
    this.#call = call
    this.#openLine = openLine
    this.#objects = new ReferredObjects(call.request.caller.keyId, call)
  }

  async look(request: MessageRequest): Promise<void> {
    const exchange = this.#open(request)
    const able = exchange.route.targets.filter((target) => this.#hasBatches(target))
    const before = this.#channels
    const served = able.map(({ channel }) => channel)
    if (served.length === 0)
      throw noChannel(request, `no channel of the model ${nameOf(exchange)} takes batches.`)
    this.#channels = before === undefined ? served : before.filter((channel) => served.includes(channel))
    if (this.#channels.length === 0) throw noCommonChannel(request, exchange)
    refuseStored(request, exchange)
    const named = this.#referencesOf(request)
    if (named.length > 0) await this.#objects.find(named, () => false)
  }

  /**
   * The account that stores the files of the batch, or otherwise the first account of the channel with the highest
   * priority.
   */
  choose(): FoundOwner {
    const { holder } = this.#objects
    const able = (this.#channels ?? []).filter(
      ({ name }) => holder === undefined || name === holder.channelName,
    )
    const [channel] = able.toSorted((one, other) => other.priority - one.priority)
    const credential =
      holder === undefined
        ? channel?.credentials[0]
        : channel?.credentials.find(({ id }) => id === holder.credentialId)
    const provider = channel && this.#call.providers.find(channel.provider)
    if (channel === undefined || provider === undefined || (holder && credential === undefined))
      throw new GatewayError('invalid_field', {
        param: 'requests',
        message: 'The files of the batch are stored on a channel that does not serve all its models.',
      })
    const target = { channel, upstreamModel: '', capabilities: {} }
    return {
      candidate: { target, credential, publicName: '', operation: 'conversation', isProbe: false },
      provider,
    }
  }

  add(request: MessageRequest, owner: FoundOwner): void {
    const exchange = this.#open(request)
    const { publicName, targets } = exchange.route
    const { channel } = owner.candidate.target
    const target = targets.find((one) => one.channel === channel)
    if (target === undefined) throw noCommonChannel(request, exchange)
    refuseSteering(exchange, target, owner.provider)
    const part = this.#parts.get(publicName) ?? this.#begin(publicName, target, owner)
    part.digests.push(digestRequest(request.customId))
    if (part.price !== undefined) part.cost += costOfLine({ exchange, target, price: part.price }, this.#call)
    this.#write(request, exchange, target)
  }

  end(): Pick<PlannedBatch, 'parts' | 'bytes'> {
    this.#push(Buffer.from(']}'))
    this.#flush()
    const parts = [...this.#parts.values()].map(({ candidate, price, cost, digests }) => ({
      candidate,
      worst: price === undefined ? undefined : { cost, priceVersion: price.id },
      digests,
    }))
    // The largest part comes first, since the requests of the first part need not be stored.
    return {
      parts: parts.toSorted((one, other) => other.digests.length - one.digests.length),
      bytes: this.#pieces,
    }
  }

  #begin(publicName: string, target: Target, { candidate: { credential } }: FoundOwner): GrowingPart {
    const price = target.prices && priceAt(target.prices, this.#call.clock.nowMs())
    const candidate: Candidate = { target, credential, publicName, operation: 'conversation', isProbe: false }
    const part = { candidate, price, cost: 0, digests: [] }
    this.#parts.set(publicName, part)
    return part
  }

  #write({ customId }: MessageRequest, { scanned }: Exchange, { upstreamModel }: Target): void {
    const spliced = messagesFormat.spliceRequest(scanned, { model: upstreamModel, askForUsage: false })
    const named = findReferences(messagesFormat, scanned.body)
    const separator = this.#hasRequests ? ',' : ''
    this.#hasRequests = true
    this.#push(Buffer.from(`${separator}{"custom_id":"${customId}","params":`))
    for (const piece of named.length === 0 ? spliced : [this.#rename(Buffer.concat(spliced))])
      this.#push(piece)
    this.#push(Buffer.from('}'))
  }

  #rename(bytes: Buffer): Buffer {
    return this.#objects.rename(bytes, findReferences(messagesFormat, BodyBytes.from([bytes])))
  }

  #push(piece: Buffer): void {
    this.#waiting.push(piece)
    this.#waitingBytes += piece.length
    if (this.#waitingBytes >= PIECE_BYTES) this.#flush()
  }

  #flush(): void {
    this.#pieces.push(Buffer.concat(this.#waiting))
    this.#waiting = []
    this.#waitingBytes = 0
  }

  #open({ number, params }: MessageRequest): Exchange {
    const { request } = this.#call
    const body = BodyBytes.from([params])
    try {
      return this.#openLine({
        ...request,
        type: 'operation',
        format: messagesFormat,
        body,
        form: undefined,
        headers: {},
      })
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      const { code, message, param } = error.failure
      const more = { message: `Request ${number} of the batch: ${message}` }
      throw new GatewayError(code, param === undefined ? more : { ...more, param }, { cause: error })
    }
  }

  #referencesOf({ params }: MessageRequest): readonly NamedObject[] {
    return findReferences(messagesFormat, BodyBytes.from([params]))
  }

  #hasBatches({ channel }: Target): boolean {
    return this.#call.providers.find(channel.provider)?.endpoints?.messageBatches === true
  }
}

function noCommonChannel(request: MessageRequest, exchange: Exchange): GatewayError {
  const models = `the model ${nameOf(exchange)} together with the models of the requests before it`
  return noChannel(request, `no channel takes batches of ${models}.`)
}

function noChannel({ number }: MessageRequest, reason: string): GatewayError {
  const message = `Request ${number} of the batch: ${reason}`
  return new GatewayError('operation_not_supported', { param: 'model', message })
}

function nameOf({ route }: Exchange): string {
  return JSON.stringify(route.publicName)
}

/**
 * Refuses requests that a batch cannot serve. Threads and containers that a provider stores belong to no key, and a
 * stream would have no reader.
 */
function refuseStored({ number }: MessageRequest, { scanned, format }: Exchange): void {
  if (scanned.isStream) throw requestFault(number, 'asks for a stream, which a batch does not have')
  const terms = format.readSpendingTerms(scanned)
  if (terms.hasStoredInput())
    throw requestFault(number, 'names a thread or a container, which a batch through this gateway cannot')
  if (terms.serviceTiers.includes('fast')) throw requestFault(number, 'has a "speed", which a batch cannot')
}
