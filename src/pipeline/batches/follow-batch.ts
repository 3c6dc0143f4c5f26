import { GatewayError } from '../../canonical/failure.ts'
import { addUsage, countsSomething, noUsage, type Usage } from '../../canonical/usage.ts'
import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import { createObjectId } from '../../kit/random/ids.ts'
import type { BatchDetail, RemoteObject } from '../../stored-answers/remote-object.ts'
import { batchOperations, readOutputBody } from './batch-line.ts'
import { askProvider, callProvider } from './call-provider.ts'
import { batchTier } from './line-cost.ts'
import { type ObjectDependencies, ownerOf, SMALL_ANSWER_MS } from './object-input.ts'
import { LineSplitter } from './read-lines.ts'
import { showBatch } from './show-object.ts'

export const FIRST_POLL_MS = 30_000
const MAX_POLL_MS = 600_000

/** The states in which a batch has no further cost. */
const ended: ReadonlySet<unknown> = new Set(['completed', 'failed', 'expired', 'cancelled'])

/** Asks the provider of a batch for its state, and processes the answer. */
export async function lookAtBatch(
  batch: RemoteObject,
  dependencies: ObjectDependencies,
): Promise<FollowedBatch> {
  const owner = ownerOf(batch, dependencies)
  const path = `/batches/${encodeURIComponent(batch.providerId)}`
  const ask = { owner, method: 'GET', path, timeoutMs: SMALL_ANSWER_MS } as const
  return followBatch(batch, await askProvider(ask, dependencies), dependencies)
}

/** The outcome of a look at a batch. */
export interface FollowedBatch {
  /** The batch as it is stored now. */
  readonly batch: RemoteObject
  /** The reason why the batch could not be billed by its output now; undefined where there is none. */
  readonly fault: GatewayError | undefined
}

/**
 * Processes the provider's state of a batch. It stores what the batch's key sees and, once the batch is over, corrects
 * the row of its charge by the usage in its output. An output that cannot be read does not hide the batch from its key.
 */
export async function followBatch(
  batch: RemoteObject,
  remote: JsonObject,
  dependencies: ObjectDependencies,
): Promise<FollowedBatch> {
  const { detail } = batch
  if (detail.type !== 'batch') return { batch, fault: undefined }
  const outputFileId = await storeOutput(batch, remote['output_file_id'], 'output', dependencies)
  const errorFileId = await storeOutput(batch, remote['error_file_id'], 'errors', dependencies)
  const { inputFileId } = detail
  const ids = { id: batch.id, inputFileId, outputFileId, errorFileId, model: batch.publicName }
  const shown = showBatch(remote, ids)
  const wasOpen = batch.pollAtMs !== undefined
  const { billing, fault } =
    wasOpen && ended.has(remote['status'])
      ? await tryToBill(() => bill(batch, detail, remote, dependencies), dependencies)
      : notBilled
  const hadEnded = ended.has(detail.shown['status'])
  const pollAtMs = wasOpen
    ? planNextPoll(batch, { billing, hadEnded, nowMs: dependencies.clock.nowMs() })
    : undefined
  const followed = { ...batch, pollAtMs, detail: { ...detail, shown } }
  await dependencies.remoteObjects.update(followed)
  return { batch: followed, fault }
}

interface TriedBilling extends Pick<FollowedBatch, 'fault'> {
  readonly billing: Billing
}

/** The state of a batch that is not billed now because it is not over, or is billed already. */
export const notBilled: TriedBilling = { billing: 'later', fault: undefined }

/** Bills a batch. If its output cannot be read now, a later look bills it. */
export async function tryToBill(
  bill: () => Promise<Billing>,
  { ending }: Pick<ObjectDependencies, 'ending'>,
): Promise<TriedBilling> {
  try {
    return { billing: await bill(), fault: undefined }
  } catch (error) {
    // If this process ends, the next one looks at the batch at once.
    if (!(error instanceof GatewayError) || ending?.aborted === true) throw error
    return { billing: 'later', fault: error }
  }
}

interface LookedAt {
  readonly billing: Billing
  /** Whether the batch was over at the look before this one. */
  readonly hadEnded: boolean
  readonly nowMs: number
}

/** The next time to check a batch that was looked at; undefined if its rows are final, or stay estimates. */
export function planNextPoll(
  batch: RemoteObject,
  { billing, hadEnded, nowMs }: LookedAt,
): number | undefined {
  // Each look reads the whole output. If it is still incomplete at the second look, the estimate is final.
  const isLast = (billing === 'incomplete' && hadEnded) || nowMs >= batch.expiresAtMs
  return billing === 'done' || isLast ? undefined : nextPollAtMs(batch, nowMs)
}

/** The next time to check a batch. The waits begin short and grow up to ten minutes. */
export function nextPollAtMs({ detail }: RemoteObject, nowMs: number): number {
  const polls = 'polls' in detail ? detail.polls : 0
  return nowMs + Math.min(MAX_POLL_MS, FIRST_POLL_MS * 1.5 ** polls)
}

/** The gateway's ID of a file that the batch made. The file is stored for the key if it is not stored yet. */
async function storeOutput(
  batch: RemoteObject,
  providerId: unknown,
  what: 'output' | 'errors',
  { remoteObjects, clock }: ObjectDependencies,
): Promise<string | undefined> {
  if (typeof providerId !== 'string' || providerId === '') return undefined
  const { keyId, channelName, id } = batch
  const known = await remoteObjects.findRemote(keyId, channelName, providerId)
  if (known !== undefined) return known.id
  const createdAtMs = clock.nowMs()
  await remoteObjects.add({
    ...batch,
    id: createObjectId('file', createdAtMs),
    providerId,
    createdAtMs,
    pollAtMs: undefined,
    detail: {
      type: 'file',
      filename: `${id}_${what}.jsonl`,
      bytes: 0,
      purpose: 'batch_output',
      input: undefined,
    },
  })
  return (await remoteObjects.findRemote(keyId, channelName, providerId))?.id
}

/**
 * The state of the rows of a batch: `done` if they are final. `incomplete` if the output has fewer answers than the
 * batch says, or an answer without usage. `later` if a row could not be corrected now.
 */
export type Billing = 'done' | 'incomplete' | 'later'

/** Corrects the row of the batch. The estimate stays while the output is incomplete. */
async function bill(
  batch: RemoteObject,
  { charge, endpoint }: BatchDetail,
  remote: JsonObject,
  dependencies: ObjectDependencies,
): Promise<Billing> {
  const { answers, parts } = await readOutput(batch, remote['output_file_id'], endpoint, dependencies)
  const counts = remote['request_counts']
  if (isJsonObject(counts) && answers < Number(counts['completed'])) return 'incomplete'
  const usage = parts.reduce(addUsage, noUsage)
  if (usage.isEstimated) return 'incomplete'
  const isDone = await dependencies.corrections.correct(charge, { usage, parts, servedTier: batchTier })
  return isDone ? 'done' : 'later'
}

interface BatchOutput {
  readonly answers: number
  /** The usage of each answer. Answers are billed separately, since the length of each input may decide its rates. */
  readonly parts: readonly Usage[]
}

const noOutput: BatchOutput = { answers: 0, parts: [] }
/**
 * The usage of an answer of a batch. An answer that states none, or only zeros as some servers do, does not change the
 * estimate of the batch.
 */
export function statedUsage(usage: Usage | undefined): Usage {
  return countsSomething(usage) ? { ...usage, isEstimated: false } : { ...noUsage, isEstimated: true }
}

async function readOutput(
  batch: RemoteObject,
  outputId: unknown,
  endpoint: string,
  dependencies: ObjectDependencies,
): Promise<BatchOutput> {
  const format = batchOperations.get(endpoint)
  if (typeof outputId !== 'string' || outputId === '' || format === undefined) return noOutput
  const owner = ownerOf(batch, dependencies)
  const splitter = new LineSplitter()
  const parts: Usage[] = []
  let answers = 0
  const read = (lines: readonly Buffer[]) => {
    for (const line of lines) {
      const body = readOutputBody(line)
      if (body === undefined) continue
      answers += 1
      const { usage, failure } = format.watchReply(body)
      if (failure === undefined || countsSomething(usage)) parts.push(statedUsage(usage))
    }
    return true
  }
  const path = `/files/${encodeURIComponent(outputId)}/content`
  const timeoutMs = owner.candidate.target.channel.timeouts.totalMs
  const running = callProvider({ owner, method: 'GET', path, timeoutMs }, dependencies, {
    onData: (chunk) => read(splitter.push(chunk)),
  })
  await running.done
  read(splitter.end())
  return { answers, parts }
}
