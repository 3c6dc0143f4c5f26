/** A profile as the inspector gives it: https://chromedevtools.github.io/devtools-protocol/tot/Profiler/, seen 2026-11-24. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  /** The node of each sample. */
  readonly samples: readonly number[]
  /** Microseconds between a sample and the one before. */
  readonly timeDeltas: readonly number[]
}

/** A profile of memory: https://chromedevtools.github.io/devtools-protocol/tot/HeapProfiler/, seen 2026-11-24. */
export interface AllocationProfile {
  readonly head: AllocationNode
}

interface AllocationNode {
  readonly id: number
  readonly callFrame: ProfileNode['callFrame']
  /** Bytes that the function itself allocated, as estimated from the samples. */
  readonly selfSize: number
  readonly children: readonly AllocationNode[]
}

interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  readonly children?: readonly number[]
}

export interface StageTime {
  readonly stage: string
  /** The share of all samples in which the thread did something. */
  readonly share: number
}

export interface FunctionTime {
  readonly label: string
  readonly us: number
}

/**
 * The same tree as a profile of time, with one sample for each function and bytes in the place of microseconds, so that
 * both are summed by the same functions.
 */
export function toTimeProfile({ head }: AllocationProfile): CpuProfile {
  const nodes: AllocationNode[] = [head]
  // The list grows while it is read: each node adds its children.
  for (const node of nodes) nodes.push(...node.children)
  return {
    nodes: nodes.map(({ id, callFrame, children }) => ({
      id,
      callFrame,
      children: children.map((child) => child.id),
    })),
    samples: nodes.map(({ id }) => id),
    timeDeltas: nodes.map(({ selfSize }) => selfSize),
  }
}

/** The stage of each part of the source; the first that fits. */
const stages: readonly (readonly [RegExp, string])[] = [
  [/src\/(?:server|wire|kit\/json)\//, 'read: listener, body, scan'],
  [/src\/access\//, 'key'],
  [/src\/(?:routing|catalog)\/|pipeline\/(?:plan|admit)\.ts/, 'plan'],
  [/src\/(?:metering)\/|pipeline\/spending\//, 'budgets, limits, ledger'],
  [/src\/telemetry\//, 'log and metrics'],
  [/src\/(?:request-log|storage)\//, 'stored rows'],
  [/src\/(?:upstream|providers)\/|pipeline\/attempt/, 'attempt: upstream request'],
  [/src\/pipeline\/(?:lane|relay|response|reasoning)\//, 'relay'],
  [/src\//, 'the pipeline around the stages'],
  [/undici/, 'undici'],
]

/** Shares of the main thread by stage, the largest first. */
export function sumByStage(profile: CpuProfile): readonly StageTime[] {
  const sums = new Map<string, number>()
  const stageOf = createStageFinder(profile)
  for (const { id, us } of samplesOf(profile)) {
    const stage = stageOf(id)
    if (stage !== undefined) sums.set(stage, (sums.get(stage) ?? 0) + us)
  }
  const total = [...sums.values()].reduce((sum, us) => sum + us, 0)
  return [...sums]
    .map(([stage, us]) => ({ stage, share: us / total }))
    .toSorted((one, other) => other.share - one.share)
}

/** Microseconds of each function itself, the most first. */
export function sumByFunction(profile: CpuProfile): readonly FunctionTime[] {
  const labels = new Map(profile.nodes.map(({ id, callFrame }) => [id, labelOf(callFrame)]))
  const sums = new Map<string, number>()
  for (const { id, us } of samplesOf(profile)) {
    const label = labels.get(id) ?? ''
    sums.set(label, (sums.get(label) ?? 0) + us)
  }
  return [...sums].map(([label, us]) => ({ label, us })).toSorted((one, other) => other.us - one.us)
}

function* samplesOf({ samples, timeDeltas }: CpuProfile): Iterable<{ id: number; us: number }> {
  for (const [index, id] of samples.entries()) yield { id, us: timeDeltas[index] ?? 0 }
}

/** Undefined while the thread waits. */
function createStageFinder({ nodes }: CpuProfile): (id: number) => string | undefined {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(
    nodes.flatMap(({ id, children }) => (children ?? []).map((child) => [child, id] as const)),
  )
  const known = new Map<number, string | undefined>()
  function find(id: number): string | undefined {
    const frame = byId.get(id)?.callFrame
    // The profiler's own work is at its end.
    if (frame?.url.includes('inspector') === true) return undefined
    const fixed = fixedStages[frame?.functionName ?? '']
    if (fixed !== undefined) return fixed === 'idle' ? undefined : fixed
    let isNode = false
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const url = byId.get(at)?.callFrame.url ?? ''
      const stage = stages.find(([pattern]) => pattern.test(url))?.[1]
      if (stage !== undefined) return isNode ? `${stage}, in Node` : stage
      isNode = true
    }
    return 'Node: sockets, timers, event loop'
  }
  return (id) => {
    if (!known.has(id)) known.set(id, find(id))
    return known.get(id)
  }
}

const fixedStages: Readonly<Record<string, string>> = {
  '(idle)': 'idle',
  '(garbage collector)': 'garbage',
  '(program)': 'native code outside JavaScript',
}

function labelOf({ functionName, url, lineNumber }: ProfileNode['callFrame']): string {
  const file = url.replace(/^.*\/(?=(?:src|node_modules|bench)\/)/, '')
  return `${functionName === '' ? '(anonymous)' : functionName} ${file}:${lineNumber + 1}`
}
