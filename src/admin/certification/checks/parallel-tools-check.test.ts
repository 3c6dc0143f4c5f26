import { expect, it } from 'vitest'
import { answered, refused, runCheck, saidText } from '../../../../test/support/certification/run-check.ts'
import type { ToolCallBlock } from '../../../canonical/content.ts'
import { parallelToolsCheck } from './parallel-tools-check.ts'

const called = (name: string, input = '{"city":"Paris"}'): ToolCallBlock => ({
  type: 'tool-call',
  id: `call_${name}`,
  name,
  kind: 'function',
  input,
})
const both = answered([called('get_temperature'), called('get_station')])

it('passes if both calls come in one answer and the results of both are accepted', () => {
  const { verdict, calls } = runCheck(parallelToolsCheck, both, answered(saidText('21.5 degrees.')))
  expect(verdict).toEqual({ outcome: 'works', finding: 'calls_together', details: { calls: 2 } })
  const [, second] = calls
  const turns = second?.type === 'conversation' ? second.request.turns : []
  const results = turns.flatMap((turn) => (turn.role === 'tool' ? turn.results : []))
  expect(results.map(({ callId }) => callId)).toEqual(['call_get_temperature', 'call_get_station'])
})

it('fails if the results are refused', () => {
  expect(runCheck(parallelToolsCheck, both, refused('upstream_rejected')).verdict.finding).toBe('refused')
})

it.each([
  ['no_call', answered(saidText('I cannot.'))],
  ['one_call', answered([called('get_station')])],
  ['bad_arguments', answered([called('get_temperature'), called('get_station', '{"city":')])],
])('stops after %s', (finding, answer) => {
  const { verdict, calls } = runCheck(parallelToolsCheck, answer)
  expect(verdict).toMatchObject({ outcome: 'does_not_work', finding })
  expect(calls).toHaveLength(1)
})
