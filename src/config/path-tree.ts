import type { ConfigPath } from './source/read-yaml.ts'

/** A set of paths. A look-up takes as many steps as the path has, however many paths the set contains. */
export interface PathTree {
  /** Whether one of the paths ends here. */
  readonly isEnd: boolean
  readonly children: ReadonlyMap<string, PathTree>
}

export function growPathTree(paths: Iterable<ConfigPath>): PathTree {
  const root = createNode()
  for (const path of paths) {
    let node = root
    for (const step of path) {
      const child = node.children.get(String(step)) ?? createNode()
      node.children.set(String(step), child)
      node = child
    }
    node.isEnd = true
  }
  return root
}

/** Whether one of the paths ends at this path, above it or below it. */
export function touches(tree: PathTree, path: ConfigPath): boolean {
  let node = tree
  for (const step of path) {
    if (node.isEnd) return true
    const child = node.children.get(String(step))
    if (child === undefined) return false
    node = child
  }
  return node.isEnd || node.children.size > 0
}

interface Node {
  isEnd: boolean
  children: Map<string, Node>
}

function createNode(): Node {
  return { isEnd: false, children: new Map() }
}
