import fc from 'fast-check'
import type { FormatId } from '../../src/canonical/format.ts'
import {
  efforts,
  type OutputFormat,
  type Reasoning,
  type Tool,
  type ToolChoice,
} from '../../src/canonical/request.ts'
import {
  type ArbitraryOptions,
  allows,
  cacheMarkArbitrary,
  extrasField,
  fieldWhere,
} from './arbitrary-options.ts'
import { schemaArbitrary, textArbitrary, wordArbitrary } from './value-arbitraries.ts'

const plain = { noNullPrototype: true } as const

export function toolsArbitrary(options: ArbitraryOptions): fc.Arbitrary<readonly Tool[]> {
  return fc.uniqueArray(toolArbitrary(options), {
    minLength: 1,
    maxLength: 3,
    selector: (tool) => (tool.type === 'hosted' ? JSON.stringify(tool.value) : tool.name),
  })
}

function toolArbitrary(options: ArbitraryOptions): fc.Arbitrary<Tool> {
  const { format } = options
  const described = { name: wordArbitrary, description: textArbitrary }
  const extras = extrasField(options, 'tool')
  const functionTool = fc.record(
    {
      type: fc.constant('function' as const),
      ...described,
      parameters: schemaArbitrary,
      ...fieldWhere(allows(options, 'tool-strict'), 'strict', fc.boolean()),
      ...fieldWhere(allows(options, 'cache-mark'), 'cache', cacheMarkArbitrary),
      ...extras,
    },
    // The messages format demands a schema.
    { requiredKeys: format === 'messages' ? ['type', 'name', 'parameters'] : ['type', 'name'], ...plain },
  )
  const customTool = fc.record(
    { type: fc.constant('custom' as const), ...described, grammar: grammarArbitrary, ...extras },
    { requiredKeys: ['type', 'name'], ...plain },
  )
  const hosted = (known: FormatId) => {
    const value = fc.record(
      { type: fc.constant('x_search_20260101'), name: wordArbitrary, x_max: fc.nat(9) },
      plain,
    )
    return fc.record({ type: fc.constant('hosted' as const), format: fc.constant(known), value }, plain)
  }
  return fc.oneof<fc.Arbitrary<Tool>[]>(
    functionTool,
    functionTool,
    ...(allows(options, 'custom-tool') ? [customTool] : []),
    ...(format !== undefined && allows(options, 'foreign-tool') ? [hosted(format)] : []),
  )
}

const grammarArbitrary = fc.constantFrom(
  { type: 'grammar', grammar: { syntax: 'regex', definition: '[a-z]+' } },
  { type: 'text' },
)

export function toolChoiceArbitrary(options: ArbitraryOptions): fc.Arbitrary<ToolChoice> {
  const kind = allows(options, 'custom-tool')
    ? fc.constantFrom('function' as const, 'custom' as const)
    : fc.constant('function' as const)
  const allowed = fc.record(
    {
      type: fc.constant('allowed' as const),
      mode: fc.constantFrom('auto' as const, 'required' as const),
      tools: fc.array(
        wordArbitrary.map((name) => ({ type: 'function', function: { name } })),
        {
          minLength: 1,
          maxLength: 2,
        },
      ),
    },
    plain,
  )
  return fc.oneof<fc.Arbitrary<ToolChoice>[]>(
    fc.constantFrom({ type: 'auto' as const }, { type: 'none' as const }, { type: 'required' as const }),
    fc.record({ type: fc.constant('tool' as const), name: wordArbitrary, kind }, plain),
    ...(allows(options, 'allowed-tools') ? [allowed] : []),
  )
}

export function outputFormatArbitrary(options: ArbitraryOptions): fc.Arbitrary<OutputFormat> {
  const schema = { type: fc.constant('json-schema' as const), schema: schemaArbitrary }
  // The messages format knows schemas alone, without a name.
  if (options.format === 'messages') return fc.record(schema, plain)
  return fc.oneof<fc.Arbitrary<OutputFormat>[]>(
    fc.constantFrom({ type: 'text' as const }, { type: 'json' as const }),
    fc.record(
      { ...schema, name: wordArbitrary, description: textArbitrary, strict: fc.boolean() },
      {
        requiredKeys:
          options.format === 'chat' || options.format === 'responses'
            ? ['type', 'schema', 'name']
            : ['type', 'schema'],
        ...plain,
      },
    ),
  )
}

/** Undefined where the options leave nothing to say about reasoning. */
export function reasoningArbitrary(options: ArbitraryOptions): fc.Arbitrary<Reasoning> | undefined {
  const hasModes = allows(options, 'thinking-mode')
  const display = fieldWhere(
    allows(options, 'reasoning-display'),
    'display',
    fc.constantFrom('summarized' as const, 'omitted' as const),
  )
  const effort = fc.constantFrom(
    ...efforts.filter((word) => options.format !== 'messages' || !['none', 'minimal'].includes(word)),
  )
  const budgetTokens = fc.integer({ min: 1024, max: 9999 })
  const on = fc.record(
    { mode: fc.constant('on' as const), budgetTokens, ...display },
    { requiredKeys: ['mode', 'budgetTokens'], ...plain },
  )
  const adaptive = fc.record(
    { mode: fc.constant('adaptive' as const), ...display },
    { requiredKeys: ['mode'], ...plain },
  )
  const kinds: fc.Arbitrary<Reasoning>[] = [
    ...(hasModes ? [fc.constant({ mode: 'off' as const }), adaptive] : []),
    ...(hasModes && allows(options, 'reasoning-budget') ? [on] : []),
    ...(allows(options, 'reasoning-effort') ? [fc.record({ effort }, plain)] : []),
  ]
  return kinds.length === 0 ? undefined : fc.oneof(...kinds)
}
