import type { LossList } from '../../../canonical/loss.ts'
import type { ChatRequest, OutputFormat } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { dropRefusedFields } from '../../openai/request/drop-refused-fields.ts'
import type { WriteContext } from './write-context.ts'

export function writeOutputFormat(
  { outputFormat, verbosity }: ChatRequest,
  { dialect, losses }: WriteContext,
): JsonObject | undefined {
  const format = outputFormat === undefined ? undefined : writeFormat(outputFormat, losses)
  const accepted = dropRefusedFields(omitUndefined({ verbosity }), dialect.refusedFields, losses)
  const text = omitUndefined({ format, ...accepted })
  return Object.keys(text).length === 0 ? undefined : text
}

/** The name is only for the provider's own logs, but the format requires one. */
function writeFormat(format: OutputFormat, losses: LossList): JsonObject {
  if (format.type === 'text') return { type: 'text' }
  if (format.type === 'json') return { type: 'json_object' }
  const { name, description, schema, strict } = format
  if (name === undefined) losses.lose('json-output', 'defaulted')
  return omitUndefined({ type: 'json_schema', name: name ?? 'response', description, schema, strict })
}
