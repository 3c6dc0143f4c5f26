import { type Failure, GatewayError } from '../../canonical/failure.ts'
import type { Loss, LossFeature } from '../../canonical/loss.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import type { Target } from '../../catalog/catalog.ts'
import type { Steps } from '../../kit/async/steps.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { Provider } from '../../providers/provider.ts'
import { dialectOf, pathOf } from '../../providers/registry.ts'
import { jsonBody } from '../../upstream/upstream-body.ts'
import { shapeBody } from '../../wire/body-shape.ts'
import { capRequest } from '../../wire/fields/cap-request.ts'
import type { ChannelFormat, Operation } from '../../wire/wire-format.ts'
import type { ConversationExchange, ForAttempt } from '../exchange/exchange.ts'
import { carryAnswers } from '../reasoning/carry-answers.ts'
import { ReasoningCarrier, type ReasoningContinuity } from '../reasoning/reasoning-carrier.ts'
import { type AnswerFormat, restoreAnswers } from '../reasoning/restore-answers.ts'
import { renameInError } from '../references/restrict-to-holder.ts'
import type { Lane } from './lane.ts'

export interface Translation {
  readonly target: Target
  readonly provider: Provider
  readonly format: ChannelFormat
  /** The creation time of the answer, where the channel's format does not state it. */
  readonly createdAtSeconds: number
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly reasoningContinuity: ReasoningContinuity
}

export interface TranslatedCall
  extends Pick<Lane, 'kind' | 'path' | 'headers' | 'body' | 'losses' | 'readError'> {
  /** Reads the channel's answer to the call. */
  readonly answers: AnswerFormat
}

/**
 * Writes one request in the channel's format. Throws `cannot_be_carried` where strict translation would lose a field.
 */
export function* writeTranslatedCall(
  exchange: ForAttempt<ConversationExchange>,
  request: ChatRequest,
  { target, provider, format, reasoningContinuity }: Translation,
): Steps<TranslatedCall> {
  const scope = {
    keyId: exchange.callerRequest.caller.keyId,
    account: reasoningContinuity.seal.accountOf(target.channel),
  }
  const dialect = dialectOf(provider, target)
  const wantsWords = format.wantsReasoningBack?.(dialect) ?? false
  const { dropsCallIds = false } = exchange.format
  const soFar = { turns: request.turns, wantsWords, dropsCallIds }
  const carrier = new ReasoningCarrier(reasoningContinuity, scope, soFar)
  const opened = carrier.openTurns(format.id === exchange.format.family)
  yield
  const { maxOutputTokens: tokens } = exchange
  const capped = tokens === undefined ? request : capRequest(request, format.id, { tokens, dialect })
  const written = yield* format.writeRequestInSteps(
    { ...capped, turns: opened.turns },
    { model: target.upstreamModel, dialect },
  )
  const losses = [...opened.losses, ...written.losses]
  const readError = errorReaderOf(provider, format)
  const answers = restoreAnswers(format, {
    model: target.upstreamModel,
    id: exchange.callerRequest.requestId,
    tools: written.callerTools,
  })
  const shaped = writeShaped(written.value, { target, provider, format })
  refuseFewerChoices(losses, exchange.format)
  if (exchange.isStrict) refuseLosses(losses, exchange.format)
  if (written.isSilent === true) throw emptyRequestError(losses, exchange.format)
  yield
  return {
    kind: 'translated',
    path: pathOf(provider, format, { ...target, isStream: request.stream }),
    headers: shaped.headers,
    body: jsonBody(shaped.body),
    losses,
    readError: (answer) => readError(renameInError(answer, exchange.callerRequest)),
    answers: carryAnswers(answers, carrier),
  }
}

/** The body in the provider's form, and the headers that belong to it. */
export function writeShaped(
  body: JsonObject,
  { target, provider, format }: Pick<Translation, 'target' | 'provider' | 'format'>,
): { readonly body: JsonObject; readonly headers: Readonly<Record<string, string>> } {
  const call = { operation: format.id, channel: target.channel, headers: {} }
  const { body: shape, fields = {}, headers = {} } = provider.shapeOf?.(call) ?? {}
  return { body: { ...(shape === undefined ? body : shapeBody(body, shape)), ...fields }, headers }
}

/** Kinds of content whose loss can leave a request empty. */
const contents: ReadonlySet<LossFeature> = new Set(['audio', 'document', 'foreign-block', 'image', 'video'])

function emptyRequestError(losses: readonly Loss[], callerFormat: Operation): GatewayError {
  const lost = losses.find(({ feature }) => contents.has(feature))
  const param = callerFormat.paramOf(lost ?? { feature: 'turn-order', kind: 'dropped' })
  const message =
    lost === undefined
      ? `"${param}" has only white space, which the channel for this model refuses. Write the text of the request there.`
      : `The channel for this model accepts no part of the content of "${param}", and the request has no other content. Send it as text, or use a model that accepts it.`
  return new GatewayError('cannot_be_carried', { param, message })
}

/**
 * Refuses a request for several choices that the channel cannot give. Callers rely on the number of choices, whether
 * the request is strict or not.
 */
function refuseFewerChoices(losses: readonly Loss[], callerFormat: Operation): void {
  const fewer = losses.find(({ feature }) => feature === 'choices')
  if (fewer === undefined) return
  const param = callerFormat.paramOf(fewer)
  throw new GatewayError('cannot_be_carried', {
    param,
    message: `The channel for this model gives one answer to a request, and "${param}" asks for more. Leave the field out and send the request once for each answer.`,
  })
}

/**
 * Refuses the losses of the caller's fields. A value that the target requires and the caller left out is not a loss
 * here.
 */
export function refuseLosses(losses: readonly Loss[], callerFormat: Operation): void {
  const first = losses.find(({ kind }) => kind !== 'defaulted')
  if (first === undefined) return
  const param = callerFormat.paramOf(first)
  throw new GatewayError('cannot_be_carried', {
    param,
    message: `The channel for this model speaks another format, in which "${param}" would be ${first.kind}, and the request asked for strict translation. Leave the field out, or send the request without "x-headgate-strict".`,
  })
}

/**
 * Creates the error reader for a channel of another format. It reads errors as the provider writes them, or otherwise
 * as the channel's format does.
 */
export function errorReaderOf(
  provider: Pick<Provider, 'readError'>,
  format: Pick<ChannelFormat, 'readError'>,
): Lane['readError'] {
  return (answer) => withoutBytes(provider.readError?.(answer) ?? format.readError(answer))
}

/** Removes the upstream's own bytes, since they are in a format that the caller does not read. */
function withoutBytes(failure: Failure): Failure {
  if (failure.upstream === undefined) return failure
  const { body: _body, ...words } = failure.upstream
  return { ...failure, upstream: words }
}
