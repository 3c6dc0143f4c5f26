import type { ErrorCode } from '../../../canonical/error-table.ts'
import type { JsonValue } from '../../../kit/json/json.ts'

/** The error code for each finish reason with which a service aborts an answer (OpenRouter; Z.ai; DeepSeek). */
export const abnormalEnds: ReadonlyMap<JsonValue | undefined, ErrorCode> = new Map([
  ['error', 'upstream_error'],
  ['network_error', 'upstream_error'],
  ['insufficient_system_resource', 'upstream_overloaded'],
])
