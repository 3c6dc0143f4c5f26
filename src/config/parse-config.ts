import type { Channel } from '../catalog/channel.ts'
import type { ModelEntry } from '../catalog/model-entry.ts'
import { readModelEntry } from '../catalog/model-schema.ts'
import { isJsonObject, type JsonObject } from '../kit/json/json.ts'
import type { ProviderRegistry } from '../providers/provider.ts'
import { buildChannel } from './build-channel.ts'
import { checkDocument, checkModels } from './check/check-document.ts'
import { describeIssues } from './check/describe-issues.ts'
import { findReservedNames } from './check/find-reserved-names.ts'
import { findSoundInput, type SoundInput } from './check/find-sound-input.ts'
import type { ConfigProblem } from './config-error.ts'
import { type ConfigInput, configSchema } from './config-schema.ts'
import { growPathTree, type PathTree, touches } from './path-tree.ts'
import { type ConfigPath, type ReadYaml, readYaml } from './source/read-yaml.ts'
import { type PathProblem, type Substitutes, substituteVariables } from './source/substitute-variables.ts'
import { writePath } from './source/write-path.ts'

/** A document with every part checked. */
export interface ParsedConfig {
  /** The document as it was written, with variables substituted. */
  readonly value: JsonObject
  readonly input: ConfigInput
  /** The values that were read from `${file:PATH}`. */
  readonly fileTexts: readonly string[]
  /** The channels that are not disabled. */
  readonly channels: readonly Channel[]
  readonly models: readonly ModelEntry[]
  /** Finds the position in the file of a value that turns out to be wrong later. */
  readonly locate: Locator
}

/** The valid part of a document, for the checks that need more than its text. */
export interface SoundConfig extends ParsedConfig {
  /** Whether a value at this path, above it or below it is wrong, so that dependent values cannot be checked. */
  readonly isBroken: (path: ConfigPath) => boolean
}

export interface ExaminedConfig {
  /** All problems that the document alone shows. */
  readonly problems: readonly ConfigProblem[]
  /** The valid part, which is the whole document where there are no problems. */
  readonly sound: SoundConfig
}

export interface ConfigText {
  readonly text: string
  /** The name of the file in errors. */
  readonly file: string
}

/** Reads and checks a configuration file's text. Returns all problems together with the valid part. */
export function examineConfig(
  { text, file }: ConfigText,
  substitutes: Substitutes,
  registry: ProviderRegistry,
): ExaminedConfig {
  const yaml = readYaml(text, file)
  const substituted = substituteVariables(yaml.value, substitutes)
  const locate = createLocator(yaml, file)
  const { value, fileTexts, problems: broken } = substituted
  const { problems, sound } = examine(value, registry, { broken, locate })
  return { problems: [...yaml.problems, ...problems], sound: { ...sound, fileTexts } }
}

/** Checks a configuration that was built in code. By default, problems have no position. */
export function examineConfigValue(
  value: unknown,
  registry: ProviderRegistry,
  locate: Locator = ({ path, message, fact }) => ({ path: writePath(path), message, fact }),
): ExaminedConfig {
  return examine(value, registry, { broken: [], locate })
}

export type Locator = (problem: PathProblem, part: 'key' | 'value') => ConfigProblem

interface Report {
  /** The problems of substitutions that failed. */
  readonly broken: readonly PathProblem[]
  readonly locate: Locator
}

function createLocator(yaml: ReadYaml, file: string): Locator {
  return ({ path, message, fact }, part) => ({
    file,
    ...yaml.locate(path, part),
    path: writePath(path),
    message,
    fact,
  })
}

/** Checks a value. A broken part hides only the problems of its dependents. */
function examine(value: unknown, registry: ProviderRegistry, { broken, locate }: Report): ExaminedConfig {
  const parsed = configSchema.safeParse(value, { reportInput: true })
  const issues = parsed.success ? [] : describeIssues(parsed.error.issues)
  const { input, restore, cuts }: SoundInput = parsed.success
    ? { input: parsed.data, restore: (path) => path, cuts: [] }
    : findSoundInput(value, pathsOf(issues))
  const doubtful = [...pathsOf(broken), ...cuts]
  const doubts = growPathTree(doubtful)
  const reserved = findReservedNames(value)
  const beyond = findWholeProblems(input, registry, doubtful.some(isOfModels))
    .map((problem) => restoreProblem(problem, restore))
    .filter((problem) => !isHidden(problem, doubts))
  const wrong = growPathTree(pathsOf([...broken, ...reserved, ...issues, ...beyond]))
  return {
    problems: [
      ...broken.map((problem) => locate(problem, 'value')),
      ...reserved.map((problem) => locate(problem, 'key')),
      ...issues.map((issue) => locate(issue, issue.isKey ? 'key' : 'value')),
      ...beyond.map((problem) => locate(problem, 'value')),
    ],
    sound: {
      ...build(input, registry),
      value: isJsonObject(value) ? value : {},
      fileTexts: [],
      input,
      locate: ({ path, message, fact }, part) => locate({ path: restore(path), message, fact }, part),
      isBroken: (path) => touches(wrong, restore(path)),
    },
  }
}

function restoreProblem(
  { path, message, fact, dependsOn = [] }: PathProblem,
  restore: SoundInput['restore'],
): PathProblem {
  return { path: restore(path), message, fact, dependsOn: dependsOn.map(restore) }
}

function pathsOf(problems: readonly PathProblem[]): readonly ConfigPath[] {
  return problems.map(({ path }) => path)
}

/** Whether a problem may be a mere consequence of a missing broken value that it contains or depends on. */
function isHidden({ path, dependsOn = [] }: PathProblem, doubts: PathTree): boolean {
  return [path, ...dependsOn].some((each) => touches(doubts, each))
}

/** Whether a value at this path decides which models exist. */
function isOfModels([section, , field]: ConfigPath): boolean {
  if (section === 'models') return field === undefined || field === 'targets'
  return section === undefined || (section === 'channels' && (field === undefined || modelFields.has(field)))
}

const modelFields: ReadonlySet<string | number> = new Set(['name', 'models', 'provider'])

function build(input: ConfigInput, registry: ProviderRegistry): Pick<ParsedConfig, 'channels' | 'models'> {
  const disabled = new Set(input.channels?.flatMap(({ name, disabled }) => (disabled === true ? [name] : [])))
  const { channels, models } = buildAll(input, registry)
  return { channels: channels.filter(({ name }) => !disabled.has(name)), models }
}

function buildAll(input: ConfigInput, registry: ProviderRegistry) {
  const channels = (input.channels ?? []).flatMap((channel) => {
    const provider = registry.find(channel.provider)
    return provider === undefined ? [] : [buildChannel(channel, provider)]
  })
  const models = Object.entries(input.models ?? {}).map(([name, entry]) => readModelEntry(name, entry))
  return { channels, models }
}

/**
 * Finds the problems of the whole configuration. Where a channel could not be built, models are not checked, since that
 * channel may have them.
 */
function findWholeProblems(
  input: ConfigInput,
  registry: ProviderRegistry,
  areModelsInDoubt: boolean,
): readonly PathProblem[] {
  const ofDocument = checkDocument(input, registry)
  const isUnknown = input.channels?.some(({ provider }) => registry.find(provider) === undefined) ?? false
  if (areModelsInDoubt || isUnknown) return ofDocument
  const { channels, models } = buildAll(input, registry)
  return [...ofDocument, ...checkModels(channels, models)]
}
