import { permits } from '../access/key.ts'
import { type Failure, GatewayError } from '../canonical/failure.ts'
import { pathOf } from '../providers/path-of.ts'
import type { Provider } from '../providers/provider.ts'
import type { Candidate } from '../routing/candidate.ts'
import type { UpstreamRequest } from '../upstream/upstream.ts'
import { buildUpstreamRequest } from './build-upstream-request.ts'
import type { CallerLink } from './caller-link.ts'
import type { ExchangeTrace } from './exchange-trace.ts'
import type { Gateway } from './gateway.ts'
import type { Lane } from './lane.ts'
import { noteAttempt } from './note-attempt.ts'
import type { Outlet } from './outlet.ts'
import { parseWatched } from './read-whole-reply.ts'
import type { KeptAsk, Received } from './received.ts'
import { type AttemptOutcome, runAttempt } from './run-attempt.ts'
import { runResending } from './run-resending.ts'
import { createVerbatimRelay } from './verbatim-relay.ts'
import { writeAnswerHeaders } from './write-answer-headers.ts'

export interface KeptInput {
  readonly received: Received
  readonly kept: KeptAsk
  readonly outlet: Outlet
  readonly callerLink: CallerLink
  readonly trace: ExchangeTrace
  readonly gateway: Gateway
}

/** Asks the one place that keeps an answer; no other could answer. Gives what to tell the caller where it did not. */
export async function handleKeptAnswer(input: KeptInput): Promise<Failure | undefined> {
  const { kept, trace, gateway, received } = input
  const { candidate, provider } = findHolder(input)
  const { target } = candidate
  trace.model = candidate.publicName
  const lane = openKeptLane(input, candidate, provider)
  const outcome = await runResending(input.outlet, async (isFresh) => {
    const ended = await askHolder(input, { candidate, provider, lane, isFresh })
    return noteAttempt(trace, { candidate, lane: lane.kind, outcome: ended }, gateway.redactor)
  })
  // Its usage was counted when it was made.
  if (outcome.type === 'answered') {
    trace.channel = target.channel.name
    trace.upstreamModel = target.upstreamModel
  }
  if (outcome.type === 'caller-gone') trace.callerLeft = true
  if (outcome.type === 'answered' && kept.method === 'DELETE') {
    gateway.keptAnswers.forget(kept.id, received.caller.keyId)
  }
  return outcome.failure
}

interface KeptCall {
  readonly candidate: Candidate
  readonly provider: Provider
  readonly lane: Lane
  readonly isFresh: true | undefined
}

function askHolder(
  input: KeptInput,
  { candidate, provider, lane, isFresh }: KeptCall,
): Promise<AttemptOutcome> {
  const { kept, outlet, callerLink, trace, gateway, received } = input
  const isStream = kept.stream
  const { userAgent } = gateway
  const request = buildUpstreamRequest({ lane, candidate, provider, isStream, userAgent, isFresh })
  return runAttempt({
    lane,
    request: { ...request, method: kept.method, headers: headersOf(request, kept) },
    timeouts: candidate.target.channel.timeouts,
    isStream,
    answerHeaders: writeAnswerHeaders({ candidate, losses: [], attempts: trace.attempts.length + 1 }),
    upstream: gateway.upstream,
    redactor: gateway.redactor,
    answerBudget: gateway.answerBudget,
    outlet,
    clock: gateway.clock,
    callerLink,
    watch: gateway.watch,
    deadlineAtMs: received.startedAtMs + gateway.retry.deadlineMs,
  })
}

/** Throws `response_not_found` where the answer is not the key's, or its place is not in the configuration any more. */
function findHolder({ received, kept, gateway }: KeptInput): {
  readonly candidate: Candidate
  readonly provider: Provider
} {
  const { keyId, permission } = received.caller
  const answer = gateway.keptAnswers.find(kept.id, keyId)
  if (answer === undefined || !permits(permission, answer.askedName)) throw notFound(kept.id)
  const { publicName, channelName, upstreamModel, credentialId } = answer
  const target = gateway.catalog
    .current()
    .findRoute(publicName)
    ?.targets.find((one) => one.channel.name === channelName && one.upstreamModel === upstreamModel)
  const credential = target?.channel.credentials.find(({ id }) => id === credentialId)
  const provider = target === undefined ? undefined : gateway.providers.find(target.channel.provider)
  if (target === undefined || provider === undefined || credential?.id !== credentialId)
    throw notFound(kept.id)
  return { candidate: { target, credential, publicName, isProbe: false }, provider }
}

/** What has no body says nothing of one. */
function headersOf({ headers }: UpstreamRequest, { method }: KeptAsk): UpstreamRequest['headers'] {
  if (method === 'POST') return headers
  const { 'content-type': _type, 'content-length': _length, ...others } = headers
  return others
}

function openKeptLane({ kept, received }: KeptInput, { target }: Candidate, provider: Provider): Lane {
  const { format } = received
  if (format.kind !== 'conversation') throw new Error('only conversations are kept')
  const path = `/responses/${encodeURIComponent(kept.id)}${kept.action}${kept.query}`
  const readWhole: Lane['readWhole'] = (body) => {
    const parsed = parseWatched(body)
    return 'failure' in parsed ? parsed.failure : { body, usage: undefined, losses: [] }
  }
  return {
    kind: 'verbatim',
    path: pathOf(provider, { id: format.id, path }, { ...target, stream: kept.stream }),
    headers: {},
    body: [],
    answerHeaders: provider.answerHeaders,
    losses: [],
    createStreamRelay: (parser) => createVerbatimRelay(format, false, parser),
    readWhole,
    replayWhole: readWhole,
    readError: (answer) => (answer.status === 404 ? notFound(kept.id).failure : format.readError(answer)),
  }
}

function notFound(id: string): GatewayError {
  return new GatewayError('response_not_found', {
    message: `Response with id ${JSON.stringify(id.slice(0, 128))} not found: this key asked for none that is still kept.`,
  })
}
