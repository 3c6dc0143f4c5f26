import { resolve, sep } from 'node:path'
import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { withFact } from '../../kit/schema/input-fact.ts'
import type { ProviderRegistry } from '../../providers/provider.ts'
import type { ConfigProblem } from '../config-error.ts'
import { channelsOf } from '../source/document-objects.ts'
import type { ConfigPath } from '../source/read-yaml.ts'
import { writePath } from '../source/write-path.ts'

export interface FileReach {
  readonly registry: ProviderRegistry
  /** The configuration file's own part. The admin API's document may also name the files that this part names. */
  readonly file: JsonObject
  /** The base folder of relative paths. */
  readonly folder: string
  readonly dataFolder: string
}

interface NamedFile {
  readonly path: ConfigPath
  /** The absolute path of the file. */
  readonly file: string
}

/**
 * Finds the files that the admin API's document must not name: the admin token must not reveal which files this machine
 * has, nor make Headgate use them. No file is read, so each is refused in the same way, whether it exists or not.
 */
export function checkApiFiles(document: JsonObject, reach: FileReach): readonly ConfigProblem[] {
  const { file, folder, dataFolder } = reach
  const known = new Set(listFiles(file, reach).map((named) => named.file))
  return listFiles(document, reach)
    .filter((named) => !known.has(named.file))
    .filter((named) => ![folder, dataFolder].some((each) => isBelow(named.file, each)))
    .map(({ path }) => ({ path: writePath(path), message: OUT_OF_REACH, owner: 'api' }))
}

const OUT_OF_REACH = withFact(
  'a channel of the admin API may name files below the folder of the configuration file or the data folder, and those that the configuration file names itself',
  { code: 'file_out_of_reach', values: {} },
)

function listFiles(document: JsonObject, { registry, folder }: FileReach): readonly NamedFile[] {
  return channelsOf(document).flatMap((channel, index) =>
    listSteps(channel, registry).flatMap((steps) => {
      const file = steps.reduce<JsonValue | undefined>(memberOf, channel)
      return typeof file === 'string'
        ? [{ path: ['channels', index, ...steps], file: resolve(folder, file) }]
        : []
    }),
  )
}

/** The paths within a channel where files may be named. */
function listSteps({ provider }: JsonObject, registry: ProviderRegistry): readonly (readonly string[])[] {
  const { settings = [] } = (typeof provider === 'string' ? registry.find(provider) : undefined) ?? {}
  const inSettings = settings.flatMap(({ name, isFile }) => (isFile === true ? [['credentials', name]] : []))
  return [['ca_file'], ...inSettings]
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? value[name] : undefined
}

function isBelow(file: string, folder: string): boolean {
  const above = resolve(folder)
  return file.startsWith(above.endsWith(sep) ? above : above + sep)
}
