import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { errorCodeOf } from '../kit/errors/error-code.ts'
import { isJsonObject } from '../kit/json/json.ts'
import { ConfigError } from './config-error.ts'
import { DEFAULT_FILE, type LoadInput } from './load-config.ts'
import { DEFAULT_DATA } from './resolve-config.ts'
import { readYaml } from './source/read-yaml.ts'
import { type Substitutes, substituteVariables } from './source/substitute-variables.ts'

export type DataFolderInput = Pick<LoadInput, 'flags' | 'environment' | 'workingFolder'>

/**
 * Finds the data folder that `headgate serve` would use with the same flags, environment and file, for commands that
 * look for its server. Only `data` is read from the file, so a mistake elsewhere in the file does not hide a server
 * that still runs on the previous file. Throws `ConfigError` where the file does not give the folder.
 */
export function findDataFolder({ flags, environment, workingFolder }: DataFolderInput): string {
  const outer = flags.data ?? environment.dataFolder
  if (outer !== undefined) return resolve(workingFolder, outer)
  const configPath = flags.config ?? environment.configPath
  const file = configPath ?? DEFAULT_FILE
  const text = readText(resolve(workingFolder, file), { file, isOptional: configPath === undefined })
  const substitutes = { variables: environment.variables, folder: dirname(resolve(workingFolder, file)) }
  const data = text === undefined ? undefined : readData(text, file, substitutes)
  return resolve(workingFolder, data ?? DEFAULT_DATA)
}

const NAME_FOLDER_ADVICE = 'name the data folder with --data'

function readText(
  path: string,
  { file, isOptional }: { readonly file: string; readonly isOptional: boolean },
): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const code = errorCodeOf(cause) ?? 'unknown error'
    if (code === 'ENOENT' && isOptional) return undefined
    const reason = code === 'ENOENT' ? 'there is no such file' : `the file cannot be read (${code})`
    throw new ConfigError([
      { file, path: '', message: `${reason}; give the right one, or ${NAME_FOLDER_ADVICE}` },
    ])
  }
}

function readData(text: string, file: string, substitutes: Substitutes): string | undefined {
  const yaml = readYaml(text, file)
  const [fault] = yaml.problems
  if (fault !== undefined)
    throw new ConfigError([{ ...fault, message: `${fault.message}; mend it, or ${NAME_FOLDER_ADVICE}` }])
  const written = isJsonObject(yaml.value) ? yaml.value['data'] : undefined
  if (written === undefined || written === null) return undefined
  const { value, problems } = substituteVariables(written, substitutes)
  const location = { file, ...yaml.locate(['data'], 'value'), path: 'data' }
  const [problem] = problems
  if (problem !== undefined)
    throw new ConfigError([{ ...location, message: `${problem.message}; or ${NAME_FOLDER_ADVICE}` }])
  if (typeof value === 'string' && value !== '') return value
  throw new ConfigError([{ ...location, message: 'must be the path of a folder' }])
}
