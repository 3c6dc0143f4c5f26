import { type Failure, isFailure } from '../../canonical/failure.ts'
import type { Steps } from '../../kit/async/steps.ts'
import { InvariantError } from '../../kit/errors/invariant-error.ts'
import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import type { Provider } from '../../providers/provider.ts'
import { pathOf } from '../../providers/registry.ts'
import type { Candidate } from '../../routing/candidate.ts'
import type { StoredResponse } from '../../stored-answers/stored-response.ts'
import type { UpstreamRequest } from '../../upstream/upstream.ts'
import type { StoredAnswerForm } from '../../wire/wire-format.ts'
import { notDurable } from '../attempt/attempt-input.ts'
import { type AttemptOutcome, mayRetryOnNewConnection, recordAttempt } from '../attempt/attempt-outcome.ts'
import { buildUpstreamRequest } from '../attempt/build-upstream-request.ts'
import { runAttempt } from '../attempt/run-attempt.ts'
import type { StoredResponseRequest } from '../exchange/caller-request.ts'
import type { ExchangeOutcome } from '../exchange/exchange-record.ts'
import { readStored } from '../exchange/stored-conversation.ts'
import { conversationBound, type Lane, type WholeReply } from '../lane/lane.ts'
import { parseWatchedInSteps } from '../lane/read-whole-reply.ts'
import { createVerbatimRelay } from '../relay/verbatim-relay.ts'
import { writeAnswerHeaders } from '../response/response-writer.ts'
import { changeIds, idChangesFor, spliceIds } from '../stored-responses/splice-ids.ts'
import { watchResponses } from '../stored-responses/watch-responses.ts'
import { findFailedResponse } from './correct-charge.ts'
import { type Retrieval, type RetrievalDependencies, responseNotFound } from './retrieval-input.ts'

export interface FoundOwner {
  readonly candidate: Candidate
  readonly provider: Provider
}

/**
 * The channel, target and credential whose provider stores it; undefined where the configuration no longer has them.
 */
export function findResponseOwner(
  { owner }: StoredResponse,
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

export interface OwnedResponse {
  readonly stored: StoredResponse
  readonly owner: FoundOwner
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
  const { record, writer } = retrieval
  const { target } = owned.owner.candidate
  let response: JsonObject | undefined
  let latest: JsonObject | undefined
  const lane = openOwnerLane(retrieval, owned, (seen, isWhole) => {
    latest = seen
    if (isWhole) response = seen
  })
  const call = { ...owned.owner, lane, onNewConnection: false }
  let outcome = await callOwner(retrieval, call)
  if (mayRetryOnNewConnection(outcome, writer))
    outcome = await callOwner(retrieval, { ...call, onNewConnection: true })
  if (outcome.type !== 'answered') return { outcome, response: undefined, latest }
  // A response's usage belongs to the request that made it.
  record.answeredBy = { channel: target.channel.name, upstreamModel: target.upstreamModel }
  return { outcome, response, latest }
}

interface OwnerCall extends FoundOwner {
  readonly lane: Lane
  readonly onNewConnection: boolean
}

async function callOwner(
  retrieval: Retrieval,
  { candidate, provider, lane, onNewConnection }: OwnerCall,
): Promise<AttemptOutcome> {
  const { request, writer, callerConnection, record, deadlineAtMs } = retrieval
  const { upstream, redactor, answerBudget, answerTurns, clock, watch, userAgent } = retrieval
  const { method, isStream } = request.stored
  const built = buildUpstreamRequest({ lane, candidate, provider, isStream, userAgent, onNewConnection })
  const outcome = await runAttempt({
    ...{ upstream, redactor, answerBudget, answerTurns, clock, watch },
    ...{ lane, isStream, writer, callerConnection, deadlineAtMs },
    request: { ...built, method, headers: headersOf(built, request.stored) },
    timeouts: candidate.target.channel.timeouts,
    durability: notDurable,
    answerHeaders: writeAnswerHeaders({ candidate, losses: [], attempts: record.attempts.length + 1 }),
  })
  const ended = { candidate, lane: lane.kind, outcome, endedAtMs: clock.monotonicMs() }
  return recordAttempt(record, { ...ended, usage: undefined, spent: 'not-billed' }, redactor)
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

function openOwnerLane(
  { request: { stored: request, format } }: Retrieval,
  { stored, owner }: OwnedResponse,
  onResponse: (response: JsonObject, isWhole: boolean) => void,
): Lane {
  if (format.kind !== 'conversation') throw new InvariantError('only conversations are stored')
  const { candidate, provider } = owner
  const id = stored.owner?.providerId ?? request.id
  const path = `/responses/${encodeURIComponent(id)}${request.action}${request.query}`
  const form = formOf(stored, id)
  function* readInSteps(body: Buffer): Steps<WholeReply | Failure> {
    const parsed = yield* parseWatchedInSteps(body)
    if (isFailure(parsed)) return parsed
    yield
    const { json } = parsed
    // Pages of a response's items name no response.
    if (!isJsonObject(json) || request.action === '/input_items')
      return { body, usage: undefined, losses: [] }
    const changes = form === undefined ? [] : idChangesFor(json, form)
    const renamed = changeIds(json, changes)
    onResponse(renamed, true)
    const bytes = spliceIds(body, changes, () => Buffer.from(JSON.stringify(renamed), 'utf8'))
    return { body: bytes, usage: undefined, losses: [] }
  }
  const named = watchResponses(format, () => ({
    form,
    onFrame(frame) {
      const failed = findFailedResponse(frame)
      if (failed !== undefined) onResponse(failed, false)
    },
    onResponse: (seen) => onResponse(seen, false),
  }))
  return {
    kind: 'verbatim',
    path: pathOf(provider, { id: format.id, path }, { ...candidate.target, isStream: request.isStream }),
    headers: {},
    body: [],
    answerHeaders: provider.answerHeaders ?? [],
    answerBound: conversationBound,
    losses: [],
    createStreamRelay: (parser) => createVerbatimRelay(named, { parser }),
    readWhole: readInSteps,
    readError: (answer) =>
      answer.status === 404 ? responseNotFound(request.id).failure : format.readError(answer),
  }
}

/** The IDs that the caller knows, where they differ from the provider's. */
function formOf(stored: StoredResponse, providerId: string): StoredAnswerForm | undefined {
  if (providerId === stored.id) return undefined
  const previous = readStored(stored)?.response['previous_response_id']
  return { id: stored.id, previousResponseId: typeof previous === 'string' ? previous : undefined }
}
