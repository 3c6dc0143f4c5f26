import type { OutputFormat } from '../../../canonical/request.ts'
import { isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { fitOutputSchema, writeOutputFormat } from '../../claude/write-output-format.ts'
import type { WriteContext } from './write-context.ts'

export interface WrittenOutputConfig {
  readonly outputConfig: JsonObject | undefined
  /** What the system is told where the model cannot be held to the format. */
  readonly instruction: string | undefined
}

/** JSON by a schema is demanded where the model can be held to it; else the system asks for it. */
export function writeOutputConfig(
  format: OutputFormat | undefined,
  { dialect, losses }: WriteContext,
): WrittenOutputConfig {
  const isNative = format?.type === 'json-schema' && fitOutputSchema(format, dialect) !== undefined
  const { description, ...undescribed } = isNative ? format : { description: undefined, ...format }
  const asked = isNative ? { ...undescribed, type: format.type, schema: format.schema } : format
  const { outputConfig, instruction } = writeOutputFormat(asked, { dialect, losses })
  const written = isJsonObject(outputConfig['format']) ? outputConfig['format']['schema'] : undefined
  if (!isNative || written === undefined) return { outputConfig: undefined, instruction }
  const jsonSchema = omitUndefined({ schema: JSON.stringify(written), name: format.name, description })
  return {
    outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema } } },
    instruction,
  }
}
