import { expect, it } from 'vitest'
import { type SeenNode, viewNodes } from './browse-nodes.ts'

function node(id: string, more: Partial<SeenNode> = {}): SeenNode {
  const figures = { leases: 0, streams: 0, draining: false, ready: true, clockAheadMs: 0 }
  const file = { version: '1', fileFingerprint: 'a', configVersion: 3 }
  return { id, ...figures, ...file, startedAtMs: 0, seenAtMs: 0, isThis: false, ...more }
}

it('flags the nodes whose file differs from that of the majority', () => {
  const list = viewNodes('postgres', [node('1', { fileFingerprint: 'b' }), node('2'), node('3')])
  expect(list.data.map(({ file_differs: differs }) => differs)).toEqual([true, false, false])
  expect(list.files_differ).toBe(true)
})

it('flags the nodes that differ from the oldest node if no file has a majority', () => {
  const list = viewNodes('postgres', [node('1', { fileFingerprint: 'b' }), node('2')])
  expect(list.data.map(({ file_differs: differs }) => differs)).toEqual([false, true])
})

it('reports that nodes serve different configuration versions', () => {
  expect(viewNodes('postgres', [node('1'), node('2')]).config_versions_differ).toBe(false)
  expect(viewNodes('postgres', [node('1'), node('2', { configVersion: 4 })]).config_versions_differ).toBe(
    true,
  )
})

it('shows draining nodes and nodes that are not ready', () => {
  const nodes = [node('1'), node('2', { draining: true, ready: false }), node('3', { ready: false })]
  expect(viewNodes('postgres', nodes).data.map(({ state }) => state)).toEqual([
    'ready',
    'draining',
    'not-ready',
  ])
})
