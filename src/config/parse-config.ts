import type { Channel } from '../catalog/channel.ts'
import type { ModelEntry } from '../catalog/model-entry.ts'
import { readModelEntry } from '../catalog/model-schema.ts'
import { isJsonObject, type JsonObject } from '../kit/json.ts'
import type { ProviderRegistry } from '../providers/provider.ts'
import { buildChannel } from './build-channel.ts'
import { checkDocument, checkModels } from './check-document.ts'
import { ConfigError, type ConfigProblem } from './config-error.ts'
import { type ConfigInput, configSchema } from './config-schema.ts'
import { describeIssues } from './describe-issues.ts'
import { findKeptNames } from './find-kept-names.ts'
import { keepSoundPart } from './keep-sound-part.ts'
import { type ConfigPath, type Place, type ReadYaml, readYaml } from './read-yaml.ts'
import { type PathProblem, type Substitutes, substituteVariables } from './substitute-variables.ts'
import { writePath } from './write-path.ts'

/** A document whose every part is checked. */
export interface ParsedConfig {
  /** The document as it was written, variables filled in. */
  readonly value: JsonObject
  readonly input: ConfigInput
  /** What of it was read from `${file:PATH}`. */
  readonly fileTexts: readonly string[]
  /** Those that are not disabled. */
  readonly channels: readonly Channel[]
  readonly models: readonly ModelEntry[]
  /** Finds where in the file something stands that turns out wrong later. */
  readonly place: Placer
}

export interface ConfigText {
  readonly text: string
  /** How the file is called in errors. */
  readonly file: string
}

/** Reads and checks a configuration file's text. Throws `ConfigError` with everything that is wrong. */
export function parseConfig(
  { text, file }: ConfigText,
  substitutes: Substitutes,
  registry: ProviderRegistry,
): ParsedConfig {
  const yaml = readYaml(text, file)
  if (yaml.problems.length > 0) throw new ConfigError(yaml.problems)
  const substituted = substituteVariables(yaml.value, substitutes)
  const place = createPlacer(yaml, file)
  const broken = substituted.problems.map((problem) => place(problem, 'value'))
  const { value, fileTexts } = substituted
  return { ...checkConfig(value, registry, { broken, place }), fileTexts }
}

/** Checks a configuration that was made and not written. Where nothing else is said, problems have no places. */
export function parseConfigValue(
  value: unknown,
  registry: ProviderRegistry,
  place: Placer = ({ path, message }) => ({ path: writePath(path), message }),
): ParsedConfig {
  return checkConfig(value, registry, { broken: [], place })
}

export type Placer = (problem: PathProblem, part: 'key' | 'value') => ConfigProblem

interface Report {
  readonly broken: readonly ConfigProblem[]
  readonly place: Placer
}

function createPlacer(yaml: ReadYaml, file: string): Placer {
  return ({ path, message }, part) => ({ file, ...locate(yaml, path, part), path: writePath(path), message })
}

function locate(yaml: ReadYaml, path: ConfigPath, part: 'key' | 'value'): Place {
  return yaml.locate(path, part)
}

function checkConfig(value: unknown, registry: ProviderRegistry, { broken, place }: Report): ParsedConfig {
  const kept = findKeptNames(value).map((problem) => place(problem, 'key'))
  const parsed = configSchema.safeParse(value, { reportInput: true })
  if (!parsed.success) {
    const issues = describeIssues(parsed.error.issues)
    const shapes = issues.map((issue) => place(issue, issue.isKey ? 'key' : 'value'))
    const beyond = findBeyondShape(value, issues, registry).map((problem) => place(problem, 'value'))
    throw new ConfigError(mergeProblems([...broken, ...kept, ...shapes, ...beyond]))
  }
  const input = parsed.data
  const whole = findWholeProblems(input, registry).map((problem) => place(problem, 'value'))
  const problems = [...broken, ...kept, ...whole]
  if (problems.length > 0) throw new ConfigError(mergeProblems(problems))
  const { channels, models } = build(input, registry)
  const disabled = new Set(input.channels?.flatMap(({ name, disabled }) => (disabled === true ? [name] : [])))
  return {
    value: isJsonObject(value) ? value : {},
    fileTexts: [],
    input,
    channels: channels.filter(({ name }) => !disabled.has(name)),
    models,
    place,
  }
}

function build(input: ConfigInput, registry: ProviderRegistry) {
  const channels = (input.channels ?? []).flatMap((channel) => {
    const provider = registry.find(channel.provider)
    return provider === undefined ? [] : [buildChannel(channel, provider)]
  })
  const models = Object.entries(input.models ?? {}).map(([name, entry]) => readModelEntry(name, entry))
  return { channels, models }
}

/** Of models nothing is said where a channel could not be made: it may have them. */
function findWholeProblems(input: ConfigInput, registry: ProviderRegistry): readonly PathProblem[] {
  const ofDocument = checkDocument(input, registry)
  if (input.channels?.some(({ provider }) => registry.find(provider) === undefined)) return ofDocument
  const { channels, models } = build(input, registry)
  return [...ofDocument, ...checkModels(channels, models)]
}

/** What else is wrong, as far as it can be seen with the ill-formed values left out: one pass is to list everything. */
function findBeyondShape(
  value: unknown,
  issues: readonly PathProblem[],
  registry: ProviderRegistry,
): readonly PathProblem[] {
  if (!isJsonObject(value)) return []
  const paths = issues.map(({ path }) => path)
  const sound = configSchema.safeParse(keepSoundPart(value, paths))
  if (!sound.success) return []
  const isDoubtful = paths.some(([section, , field]) => section === 'channels' && isOfModels(field))
  const found = isDoubtful ? checkDocument(sound.data, registry) : findWholeProblems(sound.data, registry)
  // What holds an ill-formed value may seem wrong by its absence alone.
  return found.filter(
    ({ path }) => !paths.some((issue) => path.every((step, index) => issue[index] === step)),
  )
}

/** Whether which models a channel has depends on it. */
function isOfModels(field: string | number | undefined): boolean {
  return field === undefined || field === 'name' || field === 'models' || field === 'provider'
}

/** In the order of the file; of one place only the first, since an unset variable also has a wrong value. */
function mergeProblems(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  const byPath = new Map<string, ConfigProblem>()
  for (const problem of problems) if (!byPath.has(problem.path)) byPath.set(problem.path, problem)
  return [...byPath.values()].sort(
    (left, right) => (left.line ?? 0) - (right.line ?? 0) || (left.column ?? 0) - (right.column ?? 0),
  )
}
