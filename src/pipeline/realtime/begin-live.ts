import { createFailure, type Failure } from '../../canonical/failure.ts'
import type { UpstreamWebSocket } from '../../upstream/open-web-socket.ts'
import { readLiveMessage } from '../../wire/gemini/live/live-fields.ts'
import { readServerMessage } from '../../wire/gemini/live/live-messages.ts'
import { readSetupRefusal } from '../../wire/gemini/live/read-setup-refusal.ts'
import type { Gateway } from '../gateway.ts'

/** The time in which a provider must complete the setup. */
const SETUP_MS = 10_000
/**
 * The maximum of early messages. Providers send almost nothing before the setup is complete, and these messages are
 * held until then.
 */
const MAX_EARLY_MESSAGES = 100
const MAX_EARLY_CHARACTERS = 1024 * 1024

/**
 * Sends the setup of a Live session and waits until the provider completes it, so that after a refusal the next target
 * can be tried. Returns the texts that arrived until then, which the caller has not seen, and pauses the connection.
 */
export function beginLive(
  upstream: UpstreamWebSocket,
  setup: string,
  { clock, redactor }: Pick<Gateway, 'clock' | 'redactor'>,
): Promise<readonly string[] | Failure> {
  const { promise, resolve } = Promise.withResolvers<readonly string[] | Failure>()
  const early: string[] = []
  let characters = 0
  const timer = clock.startTimer(SETUP_MS, () => fail(createFailure('upstream_timeout')))
  function fail(failure: Failure): void {
    timer.cancel()
    resolve(failure)
    upstream.terminate()
  }
  upstream.listen({
    onText(text) {
      early.push(text)
      characters += text.length
      const isTooMuch = early.length > MAX_EARLY_MESSAGES || characters > MAX_EARLY_CHARACTERS
      const fields = isTooMuch ? undefined : readLiveMessage(text)
      if (fields === undefined) fail(createFailure('upstream_bad_response'))
      else if (readServerMessage(fields).isSetupComplete) {
        timer.cancel()
        upstream.pause()
        resolve(early)
      }
    },
    onSent: () => undefined,
    onClose(code, reason) {
      const logCause = redactor.redact(`the provider closed the connection with ${code} ${reason}`)
      fail(createFailure(readSetupRefusal(code, reason), { logCause }))
    },
  })
  upstream.send(setup)
  return promise
}
