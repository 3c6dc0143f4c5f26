import { addUsage, noUsage, type Usage } from '../../canonical/usage.ts'
import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'
import type { MessageBatchDetail, RemoteObject } from '../../stored-answers/remote-object.ts'
import { messagesFormat } from '../../wire/messages/format.ts'
import { askProvider, badAnswer, callProvider } from '../batches/call-provider.ts'
import {
  type Billing,
  type FollowedBatch,
  notBilled,
  planNextPoll,
  statedUsage,
  tryToBill,
} from '../batches/follow-batch.ts'
import { batchTier } from '../batches/line-cost.ts'
import { type ObjectDependencies, ownerOf, SMALL_ANSWER_MS } from '../batches/object-input.ts'
import { LineSplitter } from '../batches/read-lines.ts'
import { digestRequest, readDigests } from './request-digest.ts'
import { readSucceeded, showMessageBatch } from './show-message-objects.ts'

/** The path of a batch at its provider. `below` is appended to it. */
export function pathOfBatch({ providerId }: Pick<RemoteObject, 'providerId'>, below = ''): string {
  return `/v1/messages/batches/${encodeURIComponent(providerId)}${below}`
}

/** Asks the provider of a batch for its state, and processes the answer. */
export async function lookAtMessageBatch(
  batch: RemoteObject,
  dependencies: ObjectDependencies,
): Promise<FollowedBatch> {
  const owner = ownerOf(batch, dependencies)
  const ask = { owner, method: 'GET', path: pathOfBatch(batch), timeoutMs: SMALL_ANSWER_MS } as const
  return followMessageBatch(batch, await askProvider(ask, dependencies), dependencies)
}

/**
 * Processes the provider's state of a batch. It stores what the batch's key sees and, once the batch is over, corrects
 * the rows of its charges by the usage in its results. Results that cannot be read do not hide the batch from its key.
 */
export async function followMessageBatch(
  batch: RemoteObject,
  remote: JsonObject,
  dependencies: ObjectDependencies,
): Promise<FollowedBatch> {
  const { detail, id } = batch
  if (detail.type !== 'message-batch') return { batch, fault: undefined }
  const wasOpen = batch.pollAtMs !== undefined
  const hasEnded = remote['processing_status'] === 'ended'
  const { billing, fault } =
    wasOpen && hasEnded
      ? await tryToBill(() => bill({ batch, detail, remote }, dependencies), dependencies)
      : notBilled
  const hadEnded = detail.shown['processing_status'] === 'ended'
  const pollAtMs = wasOpen
    ? planNextPoll(batch, { billing, hadEnded, nowMs: dependencies.clock.nowMs() })
    : undefined
  const followed = { ...batch, pollAtMs, detail: { ...detail, shown: showMessageBatch(remote, id) } }
  await dependencies.remoteObjects.update(followed)
  return { batch: followed, fault }
}

interface EndedBatch {
  readonly batch: RemoteObject
  readonly detail: MessageBatchDetail
  readonly remote: JsonObject
}

/** Corrects the rows of the batch. An estimate stays while the results of its requests are incomplete. */
async function bill(
  { batch, detail: { parts }, remote }: EndedBatch,
  dependencies: ObjectDependencies,
): Promise<Billing> {
  const usages = await readUsages(batch, parts, dependencies)
  const counts = remote['request_counts']
  const succeeded = isJsonObject(counts) ? Number(counts['succeeded']) : 0
  if (usages.flat().length < succeeded) return 'incomplete'
  let billing: Billing = 'done'
  for (const [index, { charge }] of parts.entries()) {
    const ofPart = usages[index] ?? []
    const usage = ofPart.reduce(addUsage, noUsage)
    const known = { usage, parts: ofPart, servedTier: batchTier }
    if (usage.isEstimated) billing = billing === 'later' ? 'later' : 'incomplete'
    else if (!(await dependencies.corrections.correct(charge, known))) billing = 'later'
  }
  return billing
}

/**
 * The usage of each answer, grouped by the part to which it belongs. Each answer is billed separately, at the rates for
 * its length.
 */
async function readUsages(
  batch: RemoteObject,
  parts: MessageBatchDetail['parts'],
  dependencies: ObjectDependencies,
): Promise<readonly (readonly Usage[])[]> {
  const named = parts.map(({ requests }) => (requests === undefined ? undefined : readDigests(requests)))
  const usages = parts.map((): Usage[] => [])
  const partOf = (customId: string) => {
    const digest = named.length === 1 ? '' : digestRequest(customId)
    const found = named.findIndex((digests) => digests?.has(digest) === true)
    return found === -1 ? named.indexOf(undefined) : found
  }
  const read = (lines: readonly Buffer[]) => {
    for (const line of lines) {
      const value = tryParseJson(line.toString('utf8'))
      if (!isJsonObject(value)) throw badAnswer('a line of the results is no JSON object')
      const succeeded = readSucceeded(value)
      if (succeeded === undefined) continue
      const { usage } = messagesFormat.watchReply(succeeded.message)
      usages[partOf(succeeded.customId)]?.push(statedUsage(usage))
    }
    return true
  }
  const owner = ownerOf(batch, dependencies)
  const splitter = new LineSplitter()
  const timeoutMs = owner.candidate.target.channel.timeouts.totalMs
  const path = pathOfBatch(batch, '/results')
  const running = callProvider({ owner, method: 'GET', path, timeoutMs }, dependencies, {
    onData: (chunk) => read(splitter.push(chunk)),
  })
  await running.done
  read(splitter.end())
  return usages
}
