import fc from 'fast-check'
import type { AssistantBlock, ToolResultBlock } from '../../src/canonical/content.ts'
import type { Turn } from '../../src/canonical/request.ts'
import {
  type ArbitraryOptions,
  allows,
  cacheMarkArbitrary,
  extrasField,
  fieldWhere,
} from './arbitrary-options.ts'
import {
  assistantContentArbitrary,
  textBlockArbitrary,
  toolResultContentArbitrary,
  userBlockArbitrary,
} from './block-arbitraries.ts'
import { wordArbitrary } from './value-arbitraries.ts'

type TurnOf<Role extends Turn['role']> = Extract<Turn, { readonly role: Role }>

const plain = { noNullPrototype: true } as const

function systemTurnArbitrary(options: ArbitraryOptions): fc.Arbitrary<TurnOf<'system'>> {
  const authority =
    options.format === 'messages'
      ? fc.constant('system' as const)
      : fc.constantFrom('system' as const, 'developer' as const)
  const content = fc.array(textBlockArbitrary(options), { minLength: 1, maxLength: 2 })
  return fc.record(
    { role: fc.constant('system' as const), authority, content, ...turnMore(options) },
    { requiredKeys: ['role', 'authority', 'content'], ...plain },
  )
}

function userTurnArbitrary(options: ArbitraryOptions): fc.Arbitrary<TurnOf<'user'>> {
  const content = fc.array(userBlockArbitrary(options), { minLength: 1, maxLength: 3 })
  return fc.record(
    { role: fc.constant('user' as const), content, ...turnMore(options) },
    { requiredKeys: ['role', 'content'], ...plain },
  )
}

function assistantTurnArbitrary(options: ArbitraryOptions): fc.Arbitrary<TurnOf<'assistant'>> {
  return fc.record(
    {
      role: fc.constant('assistant' as const),
      content: assistantContentArbitrary(options, 'request'),
      ...turnMore(options),
    },
    { requiredKeys: ['role', 'content'], ...plain },
  )
}

function toolResultArbitrary(
  options: ArbitraryOptions,
  callId: fc.Arbitrary<string>,
): fc.Arbitrary<ToolResultBlock> {
  return fc.record(
    {
      type: fc.constant('tool-result' as const),
      callId,
      content: fc.array(toolResultContentArbitrary(options), { minLength: 1, maxLength: 2 }),
      isError: allows(options, 'tool-result-error') ? fc.boolean() : fc.constant(false),
      ...fieldWhere(allows(options, 'cache-mark'), 'cache', cacheMarkArbitrary),
      ...extrasField(options, 'block'),
    },
    { requiredKeys: ['type', 'callId', 'content', 'isError'], ...plain },
  )
}

/**
 * A conversation as real callers send it: system turns first (and between, unless `system-position` is left out, which
 * leaves one at most), user and assistant in turn, each call of a tool answered in the turn after it.
 */
export function turnsArbitrary(options: ArbitraryOptions): fc.Arbitrary<readonly Turn[]> {
  const isFree = allows(options, 'system-position')
  const system = fc.array(systemTurnArbitrary(options), { maxLength: isFree ? 2 : 1 })
  const between = fc.array(systemTurnArbitrary(options), { maxLength: isFree ? 1 : 0 })
  const exchange = fc
    .tuple(userTurnArbitrary(options), answeredTurnsArbitrary(options), between)
    .map((parts): Turn[] => [parts[0], ...parts[1], ...parts[2]])
  return fc
    .tuple(system, fc.array(exchange, { maxLength: 2 }), userTurnArbitrary(options))
    .map(([first, exchanges, last]) => numberCalls([...first, ...exchanges.flat(), last]))
}

/** An assistant's turn and, where it calls tools, the turn with their results. */
function answeredTurnsArbitrary(options: ArbitraryOptions): fc.Arbitrary<Turn[]> {
  return assistantTurnArbitrary(options).chain((turn): fc.Arbitrary<Turn[]> => {
    const results = turn.content
      .filter((block) => block.type === 'tool-call')
      .map((call) => toolResultArbitrary(options, fc.constant(call.id)))
    if (results.length === 0) return fc.constant([turn])
    return fc.tuple(...results).map((all): Turn[] => [turn, { role: 'tool', results: all }])
  })
}

/** Makes the ids of calls unique over the whole conversation. */
function numberCalls(turns: readonly Turn[]): readonly Turn[] {
  let number = 0
  return turns.map((turn): Turn => {
    if (turn.role === 'assistant') {
      number += 1
      return { ...turn, content: turn.content.map((block) => numberCall(block, number)) }
    }
    if (turn.role !== 'tool') return turn
    return {
      ...turn,
      results: turn.results.map((result) => ({ ...result, callId: `${result.callId}_${number}` })),
    }
  })
}

function numberCall(block: AssistantBlock, number: number): AssistantBlock {
  return block.type === 'tool-call' ? { ...block, id: `${block.id}_${number}` } : block
}

function turnMore(options: ArbitraryOptions): {
  name?: fc.Arbitrary<string>
  extras?: ReturnType<typeof extrasField>['extras'] & object
} {
  const hasNames = allows(options, 'participant-name') && options.format !== 'messages'
  return { ...fieldWhere(hasNames, 'name', wordArbitrary), ...extrasField(options, 'turn') }
}
