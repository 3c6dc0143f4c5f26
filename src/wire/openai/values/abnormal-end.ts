import type { ErrorCode } from '../../../canonical/error-table.ts'
import type { JsonValue } from '../../../kit/json/json.ts'

/** Finish reasons by which a service reports that it broke the answer off (OpenRouter; Z.ai; DeepSeek). */
const codeOf: ReadonlyMap<JsonValue | undefined, ErrorCode> = new Map([
  ['error', 'upstream_error'],
  ['network_error', 'upstream_error'],
  ['insufficient_system_resource', 'upstream_overloaded'],
])

/** What went wrong, where the finish reason tells. */
export function readAbnormalEnd(finishReason: JsonValue | undefined): ErrorCode | undefined {
  return codeOf.get(finishReason)
}
