import type { OutputFormat } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import type { WriteContext } from './write-context.ts'

/**
 * A schema said in words, before all else, where the server takes none: a model that is only asked for JSON knows
 * nothing of it, and some servers refuse to be asked for JSON where no message speaks of it.
 */
export function askForSchema(
  messages: readonly JsonObject[],
  format: OutputFormat | undefined,
  { dialect }: WriteContext,
): readonly JsonObject[] {
  if (format?.type !== 'json-schema' || dialect.jsonSchema) return messages
  const words = `Answer with one JSON value alone, which fits this JSON schema:\n${JSON.stringify(format.schema)}`
  const [first, ...rest] = messages
  const isSystem = first?.['role'] === dialect.systemRole
  // Some templates know a single message of the system.
  if (isSystem && typeof first['content'] === 'string') {
    return [{ ...first, content: `${first['content']}\n\n${words}` }, ...rest]
  }
  return [{ role: dialect.systemRole, content: words }, ...messages]
}
