import type { JsonObject } from '../../kit/json/json.ts'
import type { ResponseOwner, StoredResponse } from '../../stored-answers/stored-response.ts'
import type { UpstreamRequest } from '../../upstream/upstream.ts'
import type { AttemptDurability } from '../attempt/attempt-input.ts'
import { type AttemptOutcome, mayRetryOnNewConnection } from '../attempt/attempt-outcome.ts'
import { buildUpstreamRequest } from '../attempt/build-upstream-request.ts'
import { runAttempt } from '../attempt/run-attempt.ts'
import type { StoredResponseRequest } from '../exchange/caller-request.ts'
import type { ExchangeOutcome } from '../exchange/exchange-outcome.ts'
import type { Lane } from '../lane/lane.ts'
import { writeAnswerHeaders } from '../response/answer-headers.ts'
import { type FoundOwner, type OwnedResponse, OwnerLane } from './owner-lane.ts'
import type { Retrieval, RetrievalDependencies } from './retrieval-input.ts'

type OwnerDependencies = Pick<RetrievalDependencies, 'catalog' | 'providers'>
type Account = Omit<ResponseOwner, 'providerId'>

/**
 * Finds the channel and credential of the provider that stores the response; undefined where the configuration no
 * longer has them.
 */
export function findResponseOwner(
  { owner }: Pick<StoredResponse, 'owner'>,
  dependencies: OwnerDependencies,
): FoundOwner | undefined {
  if (owner === undefined) return undefined
  const account = findServingOwner(owner, dependencies) ?? findAccount(owner, dependencies)
  return account?.candidate.target.channel.format === 'responses' ? account : undefined
}

/**
 * Finds the channel and credential of an account, whichever models it serves now. An account goes on storing what a
 * model made after the model has another name or is gone.
 */
export function findAccount(
  { channelName, credentialId, publicName, upstreamModel }: Account,
  { catalog, providers }: OwnerDependencies,
): FoundOwner | undefined {
  const channel = catalog.current().channels.find(({ name }) => name === channelName)
  const credential = channel?.credentials.find(({ id }) => id === credentialId)
  const provider = channel && providers.find(channel.provider)
  if (channel === undefined || provider === undefined || credential?.id !== credentialId) return undefined
  const target = { channel, upstreamModel, capabilities: {} }
  return {
    candidate: { target, credential, publicName, operation: 'conversation', isProbe: false },
    provider,
  }
}

/** Finds the target of an account by its model; undefined where the account no longer serves that model. */
export function findServingOwner(
  { publicName, channelName, upstreamModel, credentialId }: Account,
  { catalog, providers }: OwnerDependencies,
): FoundOwner | undefined {
  const target = catalog
    .current()
    .findRoute(publicName)
    ?.targets.find((one) => one.channel.name === channelName && one.upstreamModel === upstreamModel)
  const credential = target?.channel.credentials.find(({ id }) => id === credentialId)
  const provider = target === undefined ? undefined : providers.find(target.channel.provider)
  if (target === undefined || provider === undefined || credential?.id !== credentialId) return undefined
  return {
    candidate: { target, credential, publicName, operation: 'conversation', isProbe: false },
    provider,
  }
}

export interface OwnerAnswer {
  readonly outcome: ExchangeOutcome
  /** The whole response, or the last one of a stream. */
  readonly latest: JsonObject | undefined
}

/**
 * Calls the one provider that stores the response, since no other could answer. The end of the answer waits for the
 * promise of `beforeEnd`, which gets the response if the answer is a whole response.
 */
export async function askResponseOwner(
  retrieval: Retrieval,
  owned: OwnedResponse,
  beforeEnd: (response: JsonObject | undefined) => Promise<void> | undefined,
): Promise<OwnerAnswer> {
  const { attempts, writer } = retrieval
  const { target } = owned.owner.candidate
  const lane = new OwnerLane(retrieval.request, owned)
  const durability = { type: 'settled', settleBeforeEnd: () => beforeEnd(lane.response) } as const
  const call = { ...owned.owner, lane, durability, onNewConnection: false }
  let outcome = await callOwner(retrieval, call)
  if (mayRetryOnNewConnection(outcome, writer))
    outcome = await callOwner(retrieval, { ...call, onNewConnection: true })
  const { latest } = lane
  // The usage of a response belongs to the request that created the response.
  if (outcome.type === 'answered')
    attempts.answeredBy({ type: 'target', target, losses: [], isRecovered: false })
  return { outcome, latest }
}

interface OwnerCall extends FoundOwner {
  readonly lane: Lane
  readonly durability: AttemptDurability
  readonly onNewConnection: boolean
}

async function callOwner(
  retrieval: Retrieval,
  { candidate, provider, lane, durability, onNewConnection }: OwnerCall,
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
    durability,
    answerHeaders: writeAnswerHeaders({ candidate, losses: [], attempts: attempts.nextNumber }),
  })
  const ended = { candidate, lane: lane.kind, outcome, endedAtMs: clock.monotonicMs() }
  return attempts.add({ ...ended, usage: undefined, spent: undefined }, redactor)
}

/** Removes the headers that describe a body where there is no body. */
function headersOf(
  { headers }: UpstreamRequest,
  { method }: StoredResponseRequest,
): UpstreamRequest['headers'] {
  if (method === 'POST') return headers
  const { 'content-type': _type, 'content-length': _length, ...others } = headers
  return others
}
