/** The processes of a test's gateway: the test's own, those of `headgate serve --workers 2`, or two nodes. */
export type Topology = 'one process' | 'workers' | 'nodes'

/** `HEADGATE_TEST_TOPOLOGY`; scripts/test-topologies.ts sets it, and what else the topologies need. */
export const topology: Topology = readTopology(process.env['HEADGATE_TEST_TOPOLOGY'] ?? '')

function readTopology(text: string): Topology {
  if (text === '') return 'one process'
  if (text === 'workers' || text === 'nodes') return text
  throw new Error(`HEADGATE_TEST_TOPOLOGY is "${text}", and may be workers or nodes`)
}
