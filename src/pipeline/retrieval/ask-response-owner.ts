import type { JsonObject } from '../../kit/json/json.ts'
import type { StoredResponse } from '../../stored-answers/stored-response.ts'
import type { UpstreamRequest } from '../../upstream/upstream.ts'
import { notDurable } from '../attempt/attempt-input.ts'
import { type AttemptOutcome, mayRetryOnNewConnection } from '../attempt/attempt-outcome.ts'
import { buildUpstreamRequest } from '../attempt/build-upstream-request.ts'
import { runAttempt } from '../attempt/run-attempt.ts'
import type { StoredResponseRequest } from '../exchange/caller-request.ts'
import type { ExchangeOutcome } from '../exchange/exchange-outcome.ts'
import type { Lane } from '../lane/lane.ts'
import { writeAnswerHeaders } from '../response/response-writer.ts'
import { type FoundOwner, type OwnedResponse, OwnerLane } from './owner-lane.ts'
import type { Retrieval, RetrievalDependencies } from './retrieval-input.ts'

/**
 * The channel, target and credential whose provider stores it; undefined where the configuration no longer has them.
 */
export function findResponseOwner(
  { owner }: Pick<StoredResponse, 'owner'>,
  { catalog, providers }: Pick<RetrievalDependencies, 'catalog' | 'providers'>,
): FoundOwner | undefined {
  if (owner === undefined) return undefined
  const { publicName, channelName, upstreamModel, credentialId } = owner
  const target = catalog
    .current()
    .findRoute(publicName)
    ?.targets.find((one) => one.channel.name === channelName && one.upstreamModel === upstreamModel)
  const credential = target?.channel.credentials.find(({ id }) => id === credentialId)
  const provider = target === undefined ? undefined : providers.find(target.channel.provider)
  if (target === undefined || provider === undefined || credential?.id !== credentialId) return undefined
  return { candidate: { target, credential, publicName, isProbe: false }, provider }
}

export interface OwnerAnswer {
  readonly outcome: ExchangeOutcome
  /** The answer that the caller got, where it is a whole object. */
  readonly response: JsonObject | undefined
  /** The whole response, or the last one of a stream. */
  readonly latest: JsonObject | undefined
}

/** Asks the one provider that stores it; no other could answer. */
export async function askResponseOwner(retrieval: Retrieval, owned: OwnedResponse): Promise<OwnerAnswer> {
  const { attempts, writer } = retrieval
  const { target } = owned.owner.candidate
  const lane = new OwnerLane(retrieval.request, owned)
  const call = { ...owned.owner, lane, onNewConnection: false }
  let outcome = await callOwner(retrieval, call)
  if (mayRetryOnNewConnection(outcome, writer))
    outcome = await callOwner(retrieval, { ...call, onNewConnection: true })
  const { latest } = lane
  if (outcome.type !== 'answered') return { outcome, response: undefined, latest }
  // A response's usage belongs to the request that made it.
  attempts.answeredBy({ type: 'target', target, losses: [], isRecovered: false })
  return { outcome, response: lane.response, latest }
}

interface OwnerCall extends FoundOwner {
  readonly lane: Lane
  readonly onNewConnection: boolean
}

async function callOwner(
  retrieval: Retrieval,
  { candidate, provider, lane, onNewConnection }: OwnerCall,
): Promise<AttemptOutcome> {
  const { request, writer, callerConnection, attempts, deadlineAtMs } = retrieval
  const { upstream, redactor, answerBudget, answerTurns, clock, watch, userAgent } = retrieval
  const { method, isStream } = request.stored
  const built = buildUpstreamRequest({ lane, candidate, provider, isStream, userAgent, onNewConnection })
  const outcome = await runAttempt({
    upstream,
    redactor,
    answerBudget,
    answerTurns,
    clock,
    watch,
    lane,
    isStream,
    writer,
    callerConnection,
    deadlineAtMs,
    request: { ...built, method, headers: headersOf(built, request.stored) },
    timeouts: candidate.target.channel.timeouts,
    durability: notDurable,
    answerHeaders: writeAnswerHeaders({ candidate, losses: [], attempts: attempts.nextNumber }),
  })
  const ended = { candidate, lane: lane.kind, outcome, endedAtMs: clock.monotonicMs() }
  return attempts.add({ ...ended, usage: undefined, spent: undefined }, redactor)
}

/** Leaves out the headers of a body where there is none. */
function headersOf(
  { headers }: UpstreamRequest,
  { method }: StoredResponseRequest,
): UpstreamRequest['headers'] {
  if (method === 'POST') return headers
  const { 'content-type': _type, 'content-length': _length, ...others } = headers
  return others
}
