import { dirname, resolve } from 'node:path'
import type { JsonObject } from '../../kit/json/json.ts'
import type { ProviderRegistry } from '../../providers/provider.ts'
import { checkApiFiles } from '../check/check-api-files.ts'
import type { Config, FileLayer } from '../config.ts'
import { ConfigError, type ConfigProblem } from '../config-error.ts'
import { mergeProblems } from '../merge-problems.ts'
import { examineConfigValue } from '../parse-config.ts'
import { resolveConfig } from '../resolve-config.ts'
import { readConfigFiles } from '../source/read-config-files.ts'
import { checkApiDocument } from './api-document.ts'
import { mergeDocuments } from './merge-documents.ts'

export interface JoinedConfig {
  readonly config: Config
  /** The parts of the admin API's document that the file overrides. */
  readonly shadowed: readonly ConfigProblem[]
}

/**
 * Joins the file and the admin API's document into one configuration. Each part is checked by the file's rules. Rejects
 * with a `ConfigError` that lists all problems.
 */
export async function joinConfig(
  { file, apiMayReachPrivate, dataFolder }: Pick<Config, 'file' | 'apiMayReachPrivate' | 'dataFolder'>,
  document: JsonObject,
  registry: ProviderRegistry,
): Promise<JoinedConfig> {
  const folder = folderOf(file)
  const reach = { registry, file: file.value, folder, dataFolder }
  const problems = [
    ...checkApiDocument(document, registry, apiMayReachPrivate),
    ...checkApiFiles(document, reach),
  ]
  if (problems.length > 0) throw new ConfigError(problems)
  const merged = mergeDocuments(file.value, document)
  const { problems: ofDocument, sound } = examineConfigValue(merged.value, registry, merged.locate)
  const { variables } = file.environment
  const { files, problems: ofFiles } = await readConfigFiles(sound, { folder, variables })
  const found = mergeProblems([...ofDocument, ...ofFiles])
  if (found.length > 0) throw new ConfigError(found)
  const { source, environment, outer, workingFolder } = file
  const config = resolveConfig({ parsed: sound, source, files, environment, outer, workingFolder, file })
  return { config, shadowed: merged.shadowed }
}

/** The base folder of the file's relative paths, and of everything next to the file. */
function folderOf({ source, workingFolder }: FileLayer): string {
  return source.type === 'file' ? dirname(resolve(workingFolder, source.path)) : workingFolder
}
