import type { Steps } from '../../kit/async/steps.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { parseBody } from '../../wire/verbatim/parse-body.ts'
import type { ScannedRequest } from '../../wire/wire-format.ts'

/** A body of more is parsed, read and written in several turns of the event loop. */
const MANY_BYTES = 512 * 1024
const MANY_VALUES = 5_000

/** A body on its way to what it asks, which happens once. */
export interface Reading<Request> {
  readonly read: () => Request
  /** Reads with pauses; `read` does what is left, and throws what this has thrown. */
  readonly readSteps: () => Steps<void>
}

export function openReading<Request>(
  scanned: ScannedRequest,
  readBody: (body: JsonObject) => Steps<Request>,
): Reading<Request> {
  let steps: Steps<Request> | undefined
  let result: (() => Request) | undefined
  const runStep = (): (() => Request) | undefined => {
    if (result !== undefined) return result
    steps ??= readInSteps(scanned, readBody)
    try {
      const { done, value } = steps.next()
      if (done === true) result = () => value
    } catch (error) {
      result = () => {
        throw error
      }
    }
    // The steps hold the parsed body, which takes several times its bytes; they are let go once the result is there.
    if (result !== undefined) steps = undefined
    return result
  }
  return {
    read: () => {
      for (;;) {
        const request = runStep()
        if (request !== undefined) return request()
      }
    },
    readSteps: () => runEach(runStep),
  }
}

function* runEach(runStep: () => unknown): Steps<void> {
  while (runStep() === undefined) yield
}

function* readInSteps<Request>(
  scanned: ScannedRequest,
  readBody: (body: JsonObject) => Steps<Request>,
): Steps<Request> {
  const body = parseBody(scanned)
  yield
  return yield* readBody(body)
}

export function isLarge({ body }: ScannedRequest): boolean {
  return body.length > MANY_BYTES || body.inspection.scan.values > MANY_VALUES
}
