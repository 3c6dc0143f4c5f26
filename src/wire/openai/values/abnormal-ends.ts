import type { ErrorCode } from '../../../canonical/error-table.ts'
import type { JsonValue } from '../../../kit/json/json.ts'

/** The faults by the finish reasons with which a service breaks an answer off (OpenRouter; Z.ai; DeepSeek). */
export const abnormalEnds: ReadonlyMap<JsonValue | undefined, ErrorCode> = new Map([
  ['error', 'upstream_error'],
  ['network_error', 'upstream_error'],
  ['insufficient_system_resource', 'upstream_overloaded'],
])
