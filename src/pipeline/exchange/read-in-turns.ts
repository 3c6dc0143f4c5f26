import type { Steps } from '../../kit/async/steps.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { parseBody } from '../../wire/verbatim/parse-body.ts'
import type { ScannedRequest } from '../../wire/wire-format.ts'

/** The size above which a body is parsed, read and written in several turns of the event loop. */
const MANY_BYTES = 512 * 1024
const MANY_VALUES = 5_000

/** The reading of a request from its body. A body is read only once. */
export interface Reading<Request> {
  readonly read: () => Request
  /** Reads with pauses. `read` then does the rest of the work, and throws the error that the steps met. */
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
    // The steps hold the parsed body, which takes several times its bytes. They are released once the result is known.
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
