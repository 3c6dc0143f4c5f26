import type { ChannelInput } from '../../catalog/channel-schema.ts'
import { unknownName, withFormat } from '../../kit/schema/input-fact.ts'
import { nearestName } from '../../kit/schema/nearest-name.ts'
import { isPathSegment } from '../../providers/path-segment.ts'
import type { Provider, ProviderSetting } from '../../providers/provider.ts'
import type { PathProblem } from '../source/substitute-variables.ts'

/** Finds the problems of a channel's provider settings, and of names that become part of a path. */
export function checkSettings(input: ChannelInput, provider: Provider): readonly PathProblem[] {
  const given = Object.entries(input.credentials ?? {})
  return [
    ...findMissing(input, provider),
    ...given.flatMap(([name, value]) => checkSetting(name, value, provider)),
    ...checkPathNames(input, provider),
    ...checkCompany(input, provider),
  ]
}

/** Finds settings that have no effect without another setting. */
function checkCompany(
  { credentials = {} }: ChannelInput,
  { settings = [] }: Provider,
): readonly PathProblem[] {
  return settings.flatMap(({ name, needs }) => {
    if (needs === undefined || credentials[name] === undefined || credentials[needs] !== undefined) return []
    const message = `says nothing without ${needs}; give both, or neither`
    const fact = { code: 'needs_field', values: { field: needs } } as const
    return [{ path: ['credentials', name], message, fact, dependsOn: [['credentials', needs]] }]
  })
}

function findMissing({ credentials = {} }: ChannelInput, provider: Provider): readonly PathProblem[] {
  const missing = (provider.settings ?? []).filter(
    ({ name, isRequired }) => isRequired === true && credentials[name] === undefined,
  )
  return missing.map(({ name, form }) => ({
    path: ['credentials', name],
    message: `is missing; the provider ${provider.id} needs it: ${form}`,
    fact: { code: 'needed_by_provider', values: { provider: provider.id } },
  }))
}

function checkSetting(name: string, value: string, { id, settings = [] }: Provider): readonly PathProblem[] {
  const setting = settings.find((known) => known.name === name)
  const path = ['credentials', name]
  if (setting === undefined) return [{ path, ...describeUnknown(name, id, settings) }]
  if (setting.pattern.test(value)) return []
  const fact = { code: 'wrong_for_provider', values: { provider: id } } as const
  return [{ path, message: `must be ${setting.form}`, fact }]
}

type Unknown = Pick<PathProblem, 'message' | 'fact'>

function describeUnknown(name: string, id: string, settings: readonly ProviderSetting[]): Unknown {
  const fact = { code: 'not_of_provider', values: { provider: id } } as const
  if (settings.length === 0)
    return { message: `is nothing that the provider ${id} takes; use api_key or headers`, fact }
  const names = settings.map((setting) => setting.name)
  const nearest = nearestName(name, names)
  const advice = nearest === undefined ? `known: ${names.join(', ')}` : `did you mean "${nearest}"?`
  return {
    message: `is nothing that the provider ${id} takes; ${advice}`,
    fact: nearest === undefined ? fact : unknownName('credential', name, nearest),
  }
}

const NO_SEGMENT = withFormat(
  'must be 1 to 128 letters, digits or ". _ : @ -", since it becomes part of the address',
  'path_segment',
)

function checkPathNames({ models }: ChannelInput, provider: Provider): readonly PathProblem[] {
  if (provider.pathOf === undefined || models === undefined || models === '*') return []
  return Object.entries(models)
    .filter(([, name]) => !(provider.modelNames?.test(name) ?? isPathSegment(name)))
    .map(([key]) => ({
      path: ['models', Array.isArray(models) ? Number(key) : key],
      message: NO_SEGMENT,
    }))
}
