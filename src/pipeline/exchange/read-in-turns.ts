import type { JsonObject } from '../../kit/json/json.ts'
import { nextTurn } from '../../kit/time/clock.ts'
import { parseBody } from '../../wire/verbatim/parse-body.ts'
import type { ScannedRequest } from '../../wire/wire-format.ts'

/** A body of more is parsed and read in turns of the event loop of their own. */
const MANY_BYTES = 512 * 1024
const MANY_VALUES = 5_000

/** A body on its way to what it asks, which happens once. */
export interface Reading<Request> {
  readonly read: () => Request
  /** Its parts, in order; each may be left out, since `read` does what is left. */
  readonly stages: readonly (() => void)[]
}

export function openReading<Request>(
  scanned: ScannedRequest,
  readBody: (body: JsonObject) => Request,
): Reading<Request> {
  let parsed: JsonObject | undefined
  let result: { readonly request: Request } | undefined
  const read = () => {
    if (result !== undefined) return result.request
    const body = parsed ?? parseBody(scanned)
    // The parsed body takes several times its bytes, and is not needed any more.
    parsed = undefined
    result = { request: readBody(body) }
    return result.request
  }
  const parse = () => {
    if (result === undefined) parsed = parseBody(scanned)
  }
  return { read, stages: [parse, read] }
}

export function isLarge({ body }: ScannedRequest): boolean {
  return body.length > MANY_BYTES || body.inspection.scan.values > MANY_VALUES
}

/** Lets others have their turn after each stage. What a stage throws is thrown again where the request is read. */
export async function runInTurns(stages: readonly (() => void)[]): Promise<void> {
  for (const stage of stages) {
    try {
      stage()
    } catch {
      return
    }
    await nextTurn()
  }
}
