import { GatewayError } from '../../canonical/failure.ts'
import type { NanoDollars } from '../../canonical/money.ts'
import { brand } from '../../kit/brand.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { createObjectId } from '../../kit/random/ids.ts'
import { DAY_MS } from '../../kit/time/time-units.ts'
import type { MessageBatchPart, RemoteObject } from '../../stored-answers/remote-object.ts'
import { askProvider } from '../batches/call-provider.ts'
import { openBatchCharge } from '../batches/charge-batch.ts'
import { FIRST_POLL_MS } from '../batches/follow-batch.ts'
import { findObject, type ObjectCall, ownerOf, SMALL_ANSWER_MS } from '../batches/object-input.ts'
import type { OpenLine } from '../batches/read-batch-input.ts'
import { isUncertain } from '../batches/serve-batches.ts'
import { readRemoteId } from '../batches/serve-files.ts'
import type { RequestedMessageBatch } from '../exchange/caller-request.ts'
import type { AttemptCharge } from '../spending/attempt-charge.ts'
import { followMessageBatch, lookAtMessageBatch, pathOfBatch } from './follow-message-batch.ts'
import { findPage } from './list-page.ts'
import { pickForwardedHeaders } from './pick-forwarded-headers.ts'
import { type PlannedBatch, type PlannedPart, planMessageBatch } from './plan-message-batch.ts'
import { withOrigin } from './show-message-objects.ts'

/**
 * The time after the creation for which results are available (docs/build-with-claude/batch-processing, seen
 * 2026-11-25).
 */
const BATCH_LIFE_MS = 29 * DAY_MS

/** A request for batches, except for the results of one, which are a stream. */
export interface MessageBatchRequest extends Pick<RequestedMessageBatch, 'id'> {
  readonly action: Exclude<RequestedMessageBatch['action'], 'results'>
}

/** Serves everything except the reading of results. Rejects with `GatewayError`. */
export async function serveMessageBatch(
  call: ObjectCall,
  { action, id }: MessageBatchRequest,
  openLine: OpenLine,
): Promise<JsonObject> {
  switch (action) {
    case 'create':
      return show(await createBatch(call, openLine), call)
    case 'list':
      return listBatches(call)
    case 'show':
      return show((await lookAtMessageBatch(await find(call, id), call)).batch, call)
    case 'cancel':
      return show(await cancelBatch(call, id), call)
    case 'delete':
      return deleteBatch(call, id)
  }
}

async function find(call: ObjectCall, id: string): Promise<RemoteObject> {
  const batch = await findObject(call, 'message-batch', id)
  const { target } = ownerOf(batch, call).candidate
  call.attempts.answeredBy({ type: 'target', target, losses: [], isRecovered: false })
  return batch
}

function show({ detail }: RemoteObject, { request }: ObjectCall): JsonObject {
  return detail.type === 'message-batch' ? withOrigin(detail.shown, request.origin) : {}
}

async function listBatches(call: ObjectCall): Promise<JsonObject> {
  const { objects, ends } = await findPage(call, 'message-batch', new URLSearchParams(call.request.query))
  return { data: objects.map((batch) => show(batch, call)), ...ends }
}

/** Creates a batch after the worst case of each of its models is held. */
async function createBatch(call: ObjectCall, openLine: OpenLine): Promise<RemoteObject> {
  const planned = await planMessageBatch(call, openLine)
  const [first] = planned.parts
  if (first === undefined) throw new GatewayError('missing_field', { param: 'requests' })
  call.recordModel(first.candidate.publicName)
  using charges = new BatchCharges()
  for (const part of planned.parts) await charges.open(part, call)
  const { owner, bytes } = planned
  const headers = pickForwardedHeaders(call.request)
  const path = '/v1/messages/batches'
  const timeoutMs = owner.candidate.target.channel.timeouts.totalMs
  const ask = { owner, method: 'POST', path, headers, bytes, timeoutMs } as const
  const remote = await askProvider(ask, call).catch((error: unknown) => {
    // A call that broke off may have been accepted. It then costs what was held.
    if (isUncertain(error)) charges.settle('cut')
    throw error
  })
  const { target } = first.candidate
  call.attempts.answeredBy({ type: 'target', target, losses: [], isRecovered: false })
  const durable = charges.settle('whole')
  const batch = describeBatch({ call, planned, charges, providerId: readRemoteId(remote) })
  await call.remoteObjects.add(batch)
  await Promise.all(durable)
  return (await followMessageBatch(batch, remote, call)).batch
}

interface CreatedBatch {
  readonly call: ObjectCall
  readonly planned: PlannedBatch
  readonly charges: BatchCharges
  readonly providerId: string
}

function describeBatch({ call, planned, charges, providerId }: CreatedBatch): RemoteObject {
  const createdAtMs = call.clock.nowMs()
  const { candidate } = planned.owner
  const [first] = planned.parts
  return {
    keyId: call.request.caller.keyId,
    id: createObjectId('message-batch', createdAtMs),
    channelName: candidate.target.channel.name,
    credentialId: candidate.credential?.id,
    publicName: first?.candidate.publicName ?? '',
    upstreamModel: first?.candidate.target.upstreamModel ?? '',
    providerId,
    createdAtMs,
    expiresAtMs: createdAtMs + BATCH_LIFE_MS,
    pollAtMs: createdAtMs + FIRST_POLL_MS,
    detail: { type: 'message-batch', parts: charges.parts, polls: 0, shown: {} },
  }
}

/** The charges of a batch, one for each model. Charges that were not settled called no provider. */
class BatchCharges implements Disposable {
  readonly #open: { readonly part: PlannedPart; readonly charge: AttemptCharge }[] = []

  /** The parts of the batch. The first part contains all requests that no other part names. */
  get parts(): readonly MessageBatchPart[] {
    return this.#open.map(({ part, charge }, index) => ({
      publicName: part.candidate.publicName,
      charge: charge.estimate,
      requests: index === 0 ? undefined : part.digests.join(''),
    }))
  }

  async open(part: PlannedPart, call: ObjectCall): Promise<void> {
    const { candidate, worst } = part
    const facts = {
      attempt: this.#open.length + 1,
      worst: worst && { cost: brand<NanoDollars>(worst.cost), priceVersion: worst.priceVersion },
    }
    this.#open.push({ part, charge: await openBatchCharge(call, { candidate }, facts) })
  }

  /**
   * Settles all charges. Returns a promise for each row that is fulfilled once the row is durable; undefined where
   * nothing waits for that.
   */
  settle(ending: 'whole' | 'cut'): readonly (Promise<void> | undefined)[] {
    return this.#open.map(
      ({ charge }) => charge.settle({ usage: undefined, servedTier: undefined, ending }).durable,
    )
  }

  [Symbol.dispose](): void {
    for (const { charge } of this.#open) charge[Symbol.dispose]()
  }
}

async function cancelBatch(call: ObjectCall, id: string): Promise<RemoteObject> {
  const batch = await find(call, id)
  const owner = ownerOf(batch, call)
  const path = pathOfBatch(batch, '/cancel')
  const remote = await askProvider({ owner, method: 'POST', path, timeoutMs: SMALL_ANSWER_MS }, call)
  return (await followMessageBatch(batch, remote, call)).batch
}

/** Deletes a batch at its provider, after it is billed, and then here. */
async function deleteBatch(call: ObjectCall, id: string): Promise<JsonObject> {
  const found = await find(call, id)
  const { batch, fault } =
    found.pollAtMs === undefined ? { batch: found, fault: undefined } : await lookAtMessageBatch(found, call)
  if (fault !== undefined) throw fault
  if (batch.pollAtMs !== undefined)
    throw new GatewayError('invalid_field', {
      param: 'message_batch_id',
      message: `The batch ${JSON.stringify(id)} is not over, or not billed yet. Cancel it, or try again when it has ended.`,
    })
  const owner = ownerOf(batch, call)
  try {
    await askProvider({ owner, method: 'DELETE', path: pathOfBatch(batch), timeoutMs: SMALL_ANSWER_MS }, call)
  } catch (error) {
    if (!(error instanceof GatewayError) || error.failure.upstream?.status !== 404) throw error
  }
  await call.remoteObjects.delete(batch.keyId, batch.id)
  return { id: batch.id, type: 'message_batch_deleted' }
}
