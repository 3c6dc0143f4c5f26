import { listsModels, type Provider } from '../src/providers/provider.ts'
import { providers } from '../src/providers/registry.ts'
import { type Dialect, defaultDialect } from '../src/wire/dialect.ts'
import { renderTable } from './render-table.ts'

const all: readonly Provider[] = Object.values(providers)

/** Replaces what stands between the marks of a section, for every section of docs/providers.md. */
export function renderProviderDocs(document: string): string {
  const sections = {
    providers: renderProviders(),
    differences: renderDifferences(),
    sources: renderSources(),
  }
  return Object.entries(sections).reduce((text, [name, table]) => replaceSection(text, name, table), document)
}

function replaceSection(text: string, name: string, table: string): string {
  const [begin, end] = [`<!-- begin ${name} -->`, `<!-- end ${name} -->`]
  const from = text.indexOf(begin)
  const to = text.indexOf(end)
  if (from === -1 || to < from) throw new Error(`docs/providers.md has no section "${name}"`)
  return `${text.slice(0, from + begin.length)}\n\n${table}\n\n${text.slice(to)}`
}

function renderProviders(): string {
  const head = [
    'Provider',
    'Format',
    'Address',
    'Variable',
    'Models',
    'Own completions',
    'Embeddings per call',
  ]
  return renderTable(
    head,
    all.map((provider) => [
      `\`${provider.id}\``,
      provider.formats.join(', '),
      addressOf(provider),
      variableOf(provider),
      modelsOf(provider),
      provider.endpoints?.completions === undefined ? 'translated' : 'yes',
      String(provider.endpoints?.embeddings?.maxInputs ?? 'none'),
    ]),
  )
}

function addressOf({ baseUrl, baseUrlOf, isBuiltIn }: Provider): string {
  if (isBuiltIn) return 'Headgate itself'
  if (baseUrlOf !== undefined) return 'by `credentials`'
  return baseUrl === undefined ? 'you give it' : `\`${baseUrl}\``
}

function variableOf(provider: Provider): string {
  const { environmentKey, otherEnvironmentKey, isKeyShared, needsKey, probe } = provider
  if (probe !== undefined) return `found on port ${probe.defaultPort}`
  if (environmentKey === undefined && provider.createAuthorizer !== undefined) return '`credentials`'
  if (environmentKey === undefined) return needsKey ? 'needs a key' : 'no key needed'
  if (isKeyShared) return `\`${environmentKey}\`, not by itself`
  return [environmentKey, otherEnvironmentKey]
    .flatMap((name) => name ?? [])
    .map(quote)
    .join(' or ')
}

function modelsOf(provider: Provider): string {
  const { modelListNeedsKey, models } = provider
  if (listsModels(provider)) return modelListNeedsKey ? 'listed to who has a key' : 'listed'
  return models === undefined ? 'you name them' : models.map((name) => `\`${name}\``).join(', ')
}

/** The differences of a request for a model of an unknown name. */
function renderDifferences(): string {
  const chat = all.filter(({ formats }) => formats.includes('chat'))
  const rows = chat.map((provider) => {
    const dialect = provider.dialect('a-model')
    return [`\`${provider.id}\``, wordsOf(dialect).join('; '), dialect.refusedFields.map(quote).join(', ')]
  })
  return renderTable(['Provider', 'Written differently', 'Left out'], rows)
}

const quote = (name: string): string => `\`${name}\``

const notes = {
  textParts: 'texts joined into one',
  participantNames: 'no names of speakers',
  streamUsageOption: 'usage in streams not asked for',
  tools: 'no tools',
  toolStrict: 'no `strict` of tools',
  acceptsParallelToolCalls: 'no `parallel_tool_calls`',
} as const satisfies Partial<Record<keyof Dialect, string>>

const choiceNotes = {
  words: 'no tool chosen by name',
  'unforced-thinking': 'no call forced while the model thinks',
  auto: 'no choice of tools but `auto`',
} as const

function wordsOf(dialect: Dialect): readonly string[] {
  const { maxTokensField, seedField, toolChoices, toolCallIds, turnOrder } = dialect
  const lacking = Object.entries(notes).flatMap(([name, words]) => (isLacking(dialect, name) ? [words] : []))
  return [
    ...(maxTokensField === defaultDialect.maxTokensField ? [] : [quote(maxTokensField)]),
    ...(seedField === defaultDialect.seedField ? [] : [quote(seedField)]),
    ...(turnOrder === 'alternating' ? ['users and assistants in turns'] : []),
    ...(toolChoices === 'all' ? [] : [choiceNotes[toolChoices]]),
    ...(toolCallIds === 'any' ? [] : ['ids of calls of nine characters']),
    ...(dialect.acceptsTopK ? ['`top_k` is sent'] : []),
    ...(dialect.cacheMarks ? ['`cache_control` is sent'] : []),
    ...lacking,
    ...jsonWords(dialect),
  ]
}

function jsonWords({ jsonObject, jsonSchema }: Dialect): readonly string[] {
  if (!jsonSchema) return [jsonObject ? 'schemas said in words' : 'JSON asked for in words']
  return jsonObject ? [] : ['JSON only by a schema']
}

function isLacking(dialect: Dialect, name: string): boolean {
  return Object.entries(dialect).some(([field, value]) => field === name && value === false)
}

function renderSources(): string {
  return all
    .map(({ id, sources: { pages, seen } }) => `- \`${id}\`: ${pages.join(', ')}; seen ${seen}`)
    .join('\n')
}
