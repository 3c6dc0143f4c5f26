import type { LossList } from '../../canonical/loss.ts'
import type { OutputFormat } from '../../canonical/request.ts'
import type { JsonObject } from '../../kit/json.ts'

/** The `format` of `output_config`, to be spread into it. JSON without a schema cannot be asked for. */
export function writeOutputFormat(format: OutputFormat | undefined, losses: LossList): JsonObject {
  switch (format?.type) {
    case undefined:
    case 'text':
      return {}
    case 'json':
      losses.add({ feature: 'json-output', kind: 'dropped' })
      return {}
    case 'json-schema':
      for (const name of ['name', 'description', 'strict'] as const) {
        if (format[name] !== undefined)
          losses.add({ feature: 'json-output', kind: 'approximated', field: name })
      }
      return { format: { type: 'json_schema', schema: format.schema } }
  }
}
