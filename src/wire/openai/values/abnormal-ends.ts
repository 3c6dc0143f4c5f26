import type { ErrorCode } from '../../../canonical/error-table.ts'
import { createFailure, type Failure } from '../../../canonical/failure.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'

/**
 * The error code for each finish reason with which a service aborts an answer (OpenRouter; Z.ai; DeepSeek; `abort` of
 * vLLM, https://github.com/vllm-project/vllm/issues/57082, and of SGLang,
 * https://github.com/sgl-project/sglang/pull/6693, both seen 2026-11-30).
 */
export const abnormalEnds: ReadonlyMap<JsonValue | undefined, ErrorCode> = new Map([
  ['error', 'upstream_error'],
  ['abort', 'upstream_error'],
  ['network_error', 'upstream_error'],
  ['insufficient_system_resource', 'upstream_overloaded'],
])

/** The failure of a whole answer whose choices are missing, were aborted or have no content. */
export function findChoicesFailure(
  { choices }: JsonObject,
  hasAnswer: (choice: JsonValue) => boolean,
): Failure | undefined {
  if (!isJsonArray(choices)) return createFailure('upstream_bad_response')
  return findAbortedChoice(choices) ?? (choices.some(hasAnswer) ? undefined : createFailure('upstream_empty'))
}

/** The failure with which a service aborted one of the choices of a whole answer. */
function findAbortedChoice(choices: readonly JsonValue[]): Failure | undefined {
  const code = choices
    .map((choice) => abnormalEnds.get(isJsonObject(choice) ? choice['finish_reason'] : undefined))
    .find((found) => found !== undefined)
  return code === undefined ? undefined : createFailure(code)
}
