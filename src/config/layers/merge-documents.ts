import type { JsonObject } from '../../kit/json/json.ts'
import type { ConfigOwner, ConfigProblem } from '../config-error.ts'
import { channelsOf, modelsOf, nameOf } from '../source/document-objects.ts'
import type { PathProblem } from '../source/substitute-variables.ts'
import { writePath } from '../source/write-path.ts'
import { apiSettings } from './api-document.ts'

export interface MergedDocument {
  readonly value: JsonObject
  /** The parts of the admin API's document that the file overrides. */
  readonly shadowed: readonly ConfigProblem[]
  /** Leads a path of the merged document back to the one that it came from. */
  locate(problem: PathProblem): ConfigProblem
}

/** Joins the two documents object by object. The file wins over a clash. Both are well-formed by themselves. */
export function mergeDocuments(file: JsonObject, api: JsonObject): MergedDocument {
  const own = channelsOf(file)
  const ownNames = new Set(own.map(nameOf))
  const added = channelsOf(api)
    .map((channel, index) => ({ channel, index }))
    .filter(({ channel }) => !ownNames.has(nameOf(channel)))
  const ownModels = modelsOf(file)
  const models = [...ownModels, ...[...modelsOf(api)].filter(([name]) => !ownModels.has(name))]
  const settings = apiSettings.flatMap((name) =>
    file[name] === undefined && api[name] !== undefined ? [[name, api[name]] as const] : [],
  )
  const channels = [...own, ...added.map(({ channel }) => channel)]
  return {
    value: {
      ...file,
      ...Object.fromEntries(settings),
      ...(channels.length > 0 && { channels }),
      ...(models.length > 0 && { models: Object.fromEntries(models) }),
    },
    shadowed: findShadowed(file, api),
    locate({ path, message }) {
      const [section, step] = path
      const inApi = (owner: ConfigOwner) => ({ path: writePath(path), message, owner })
      if (section === 'models' && typeof step === 'string') return inApi(ownModels.has(step) ? 'file' : 'api')
      if (section !== 'channels' || typeof step !== 'number') return inApi('file')
      const origin = added[step - own.length]
      if (origin === undefined) return inApi('file')
      return { path: writePath(['channels', origin.index, ...path.slice(2)]), message, owner: 'api' }
    },
  }
}

function findShadowed(file: JsonObject, api: JsonObject): readonly ConfigProblem[] {
  const ownNames = new Set(channelsOf(file).map(nameOf))
  const ownModels = modelsOf(file)
  const shadow = (path: readonly (string | number)[], what: string): ConfigProblem => ({
    path: writePath(path),
    message: `is not used: the configuration file has ${what} too, and the file wins; remove one of the two`,
    owner: 'api',
  })
  return [
    ...channelsOf(api).flatMap((channel, index) =>
      ownNames.has(nameOf(channel)) ? [shadow(['channels', index], `a channel "${nameOf(channel)}"`)] : [],
    ),
    ...[...modelsOf(api).keys()]
      .filter((name) => ownModels.has(name))
      .map((name) => shadow(['models', name], `a model "${name}"`)),
    ...apiSettings
      .filter((name) => file[name] !== undefined && api[name] !== undefined)
      .map((name) => shadow([name], `the section "${name}"`)),
  ]
}
