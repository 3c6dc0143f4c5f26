import fc from 'fast-check'
import type {
  AssistantBlock,
  Citation,
  OpaqueBlock,
  RedactedThinkingBlock,
  RefusalBlock,
  SearchResultBlock,
  TextBlock,
  ThinkingBlock,
  ToolCallBlock,
  ToolResultContent,
  UserBlock,
} from '../../src/canonical/content.ts'
import {
  type ArbitraryOptions,
  allows,
  type BlockSite,
  blockExtras,
  cacheMarkField,
  extrasField,
} from './arbitrary-options.ts'
import {
  answeredAudioArbitrary,
  documentBlockArbitrary,
  imageBlockArbitrary,
  spokenBlockArbitrary,
  videoBlockArbitrary,
} from './media-arbitraries.ts'
import {
  base64Arbitrary,
  jsonArbitrary,
  jsonObjectArbitrary,
  textArbitrary,
  urlArbitrary,
  wordArbitrary,
} from './value-arbitraries.ts'

const plain = { noNullPrototype: true } as const

function citationArbitrary(options: ArbitraryOptions): fc.Arbitrary<Citation> {
  const offsets = { startIndex: fc.nat(9), endIndex: fc.nat(99) }
  if (options.format === 'chat' || options.format === 'responses') {
    return fc.record({ url: urlArbitrary, title: textArbitrary, ...offsets }, plain)
  }
  if (options.format === 'messages') {
    const source = { url: urlArbitrary, title: textArbitrary, citedText: textArbitrary }
    const fields = { type: fc.constant('web_search_result_location'), encrypted_index: base64Arbitrary }
    const extras = fc.record(
      { format: fc.constant('messages' as const), fields: fc.record(fields, plain) },
      plain,
    )
    return fc.record({ ...source, extras }, plain)
  }
  const source = { url: urlArbitrary, title: textArbitrary, citedText: textArbitrary }
  return fc.record(
    { ...source, ...offsets, ...extrasField(options, 'citation') },
    { requiredKeys: [], ...plain },
  )
}

export function textBlockArbitrary(
  options: ArbitraryOptions,
  position: BlockSite = 'request',
): fc.Arbitrary<TextBlock> {
  return fc.record(
    {
      type: fc.constant('text' as const),
      text: textArbitrary,
      ...cacheMarkField(options, position),
      ...blockExtras(options),
    },
    { requiredKeys: ['type', 'text'], ...plain },
  )
}

function searchResultBlockArbitrary(options: ArbitraryOptions): fc.Arbitrary<SearchResultBlock> {
  return fc.record(
    {
      type: fc.constant('search-result' as const),
      source: urlArbitrary,
      title: textArbitrary,
      content: fc.array(textBlockArbitrary(options), { minLength: 1, maxLength: 2 }),
      ...cacheMarkField(options, 'request'),
      ...blockExtras(options),
    },
    { requiredKeys: ['type', 'source', 'title', 'content'], ...plain },
  )
}

/** Text of the assistant, which may name its sources. */
function citedTextBlockArbitrary(options: ArbitraryOptions, position: BlockSite): fc.Arbitrary<TextBlock> {
  if (!allows(options, 'citations')) return textBlockArbitrary(options, position)
  const citations = fc.array(citationArbitrary(options), { minLength: 1, maxLength: 2 })
  return fc
    .tuple(textBlockArbitrary(options, position), fc.option(citations, { nil: undefined, freq: 3 }))
    .map(([block, list]) => (list === undefined ? block : { ...block, citations: list }))
}

function thinkingBlockArbitrary(options: ArbitraryOptions): fc.Arbitrary<ThinkingBlock> {
  const fields = { type: fc.constant('thinking' as const), text: textArbitrary, ...blockExtras(options) }
  const unsigned = fc.record(fields, { requiredKeys: ['type', 'text'], ...plain })
  if (!allows(options, 'thinking-signature')) return unsigned
  const signed = fc.tuple(unsigned, base64Arbitrary).map(([block, signature]) => ({ ...block, signature }))
  // The messages format signs all its thinking.
  return options.format === 'messages' ? signed : fc.oneof(unsigned, signed)
}

const redactedThinkingArbitrary: fc.Arbitrary<RedactedThinkingBlock> = fc.record(
  { type: fc.constant('redacted-thinking' as const), data: base64Arbitrary },
  plain,
)

const refusalArbitrary: fc.Arbitrary<RefusalBlock> = fc.record(
  { type: fc.constant('refusal' as const), text: textArbitrary },
  plain,
)

function toolCallArbitrary(options: ArbitraryOptions, position: BlockSite): fc.Arbitrary<ToolCallBlock> {
  const id = wordArbitrary.map((word) => `call_${word}`)
  const more = { ...cacheMarkField(options, position), ...blockExtras(options) }
  const fields = { type: fc.constant('tool-call' as const), id, name: wordArbitrary, ...more }
  const input = jsonObjectArbitrary.map((value) => JSON.stringify(value))
  const requiredKeys = ['type', 'id', 'name', 'kind', 'input'] as const
  const call = fc.record(
    { ...fields, kind: fc.constant('function' as const), input },
    { requiredKeys: [...requiredKeys], ...plain },
  )
  if (!allows(options, 'custom-tool')) return call
  const custom = fc.record(
    { ...fields, kind: fc.constant('custom' as const), input: textArbitrary },
    { requiredKeys: [...requiredKeys], ...plain },
  )
  return fc.oneof({ weight: 4, arbitrary: call }, { weight: 1, arbitrary: custom })
}

/** Blocks of a type that no format knows, as the options' format would hold them. */
function opaqueArbitraries(options: ArbitraryOptions): fc.Arbitrary<OpaqueBlock>[] {
  const { format } = options
  if (format === undefined || !allows(options, 'foreign-block')) return []
  const value = fc.record({ type: fc.constantFrom('x_part', 'x_result'), x_value: jsonArbitrary }, plain)
  return [fc.record({ type: fc.constant('opaque' as const), format: fc.constant(format), value }, plain)]
}

export function userBlockArbitrary(options: ArbitraryOptions): fc.Arbitrary<UserBlock> {
  return fc.oneof(
    ...repeated(3, textBlockArbitrary(options)),
    ...(allows(options, 'image') ? [imageBlockArbitrary(options)] : []),
    ...(allows(options, 'document') ? [documentBlockArbitrary(options)] : []),
    ...(allows(options, 'audio') ? [spokenBlockArbitrary(options)] : []),
    ...(allows(options, 'video') ? [videoBlockArbitrary(options)] : []),
    ...(allows(options, 'search-result') ? [searchResultBlockArbitrary(options)] : []),
    ...opaqueArbitraries(options),
  )
}

export function toolResultContentArbitrary(options: ArbitraryOptions): fc.Arbitrary<ToolResultContent> {
  const text = textBlockArbitrary(options)
  if (!allows(options, 'tool-result-content')) return text
  return fc.oneof(
    ...repeated(3, text),
    ...(allows(options, 'image') ? [imageBlockArbitrary(options)] : []),
    ...(allows(options, 'document') ? [documentBlockArbitrary(options)] : []),
    ...(allows(options, 'search-result') ? [searchResultBlockArbitrary(options)] : []),
    ...opaqueArbitraries(options),
  )
}

/**
 * The content of an assistant, tool calls with IDs of their own. Without `block-order`, at most one block of each kind
 * but calls, in the order in which formats without an order are read: thinking, text, refusal, audio, calls.
 */
export function assistantContentArbitrary(
  options: ArbitraryOptions,
  position: BlockSite,
): fc.Arbitrary<readonly AssistantBlock[]> {
  const content = allows(options, 'block-order') ? anyOrder(options, position) : fixedOrder(options, position)
  return content.map((blocks) =>
    blocks.map((block, index) =>
      block.type === 'tool-call' ? { ...block, id: `${block.id}_${index}` } : block,
    ),
  )
}

function anyOrder(options: ArbitraryOptions, position: BlockSite): fc.Arbitrary<readonly AssistantBlock[]> {
  const block: fc.Arbitrary<AssistantBlock> = fc.oneof(
    ...repeated(3, citedTextBlockArbitrary(options, position)),
    ...repeated(2, toolCallArbitrary(options, position)),
    ...(allows(options, 'thinking') ? [thinkingBlockArbitrary(options)] : []),
    ...(allows(options, 'redacted-thinking') ? [redactedThinkingArbitrary] : []),
    ...(allows(options, 'refusal') ? [refusalArbitrary] : []),
    ...(allows(options, 'audio') ? [answeredAudioArbitrary(position)] : []),
    ...(allows(options, 'image') ? [imageBlockArbitrary(options, position)] : []),
    ...opaqueArbitraries(options),
  )
  return fc.array(block, { minLength: 1, maxLength: 4 })
}

function fixedOrder(options: ArbitraryOptions, position: BlockSite): fc.Arbitrary<readonly AssistantBlock[]> {
  const ordered: fc.Arbitrary<AssistantBlock>[] = [
    ...(allows(options, 'thinking') ? [thinkingBlockArbitrary(options)] : []),
    ...(allows(options, 'redacted-thinking') ? [redactedThinkingArbitrary] : []),
    citedTextBlockArbitrary(options, position),
    ...(allows(options, 'refusal') ? [refusalArbitrary] : []),
    ...(allows(options, 'audio') ? [answeredAudioArbitrary(position)] : []),
  ]
  const singles = ordered.map((arbitrary) => fc.array(arbitrary, { maxLength: 1 }))
  const calls = fc.array(toolCallArbitrary(options, position), { maxLength: 2 })
  return fc
    .tuple(fc.tuple(...singles), calls)
    .map(([before, after]): AssistantBlock[] => [...before.flat(), ...after])
    .filter((content) => content.length > 0)
}

function repeated<Item>(count: number, item: Item): Item[] {
  return Array.from({ length: count }, () => item)
}
