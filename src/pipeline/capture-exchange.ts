import { hasAnswers, hasPrompts } from '../capture/capture-mode.ts'
import type { Captures } from '../capture/captures.ts'
import type { OpenCapture } from '../capture/open-capture.ts'
import type { RequestRow } from '../telemetry/observer.ts'
import type { CallerRequest } from './exchange/caller-request.ts'
import { asksForDryRun } from './exchange/dry-run.ts'

interface CaptureDependencies {
  readonly captures: Captures
}

/**
 * Opens the capture of a request. Undefined where no part of the request is captured: a token count and a dry run have
 * no answer of a model.
 */
export function openCapture(
  request: CallerRequest,
  { captures }: CaptureDependencies,
): OpenCapture | undefined {
  if (request.type !== 'operation' || request.format.kind === 'token-count') return undefined
  return asksForDryRun(request.headers) ? undefined : captures.open(request)
}

/** Ends the capture of a request and passes the captured bodies on to be stored under the request's ID. */
export function endCapture(capture: OpenCapture, row: RequestRow, { captures }: CaptureDependencies): void {
  const { keyId, keyName, user, group, model, format, status, endedAtMs: atMs, isStream, requestId } = row
  if (keyId === undefined || keyName === undefined || format === undefined) return
  const { mode } = capture
  const bodies = { hasPrompt: hasPrompts(mode), hasAnswer: hasAnswers(mode) }
  const summary = {
    requestId,
    keyId,
    keyName,
    user,
    group,
    model,
    operation: format,
    status,
    atMs,
    ...bodies,
  }
  captures.end(capture, { summary, operation: format, isStream })
}
