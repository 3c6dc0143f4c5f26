/** A branch for one value of a label: the leaf of exactly the values up to it, and the branches of the next label. */
interface Branch<Leaf> {
  leaf: Leaf | undefined
  byNext: Map<string, Branch<Leaf>> | undefined
}

/** One leaf for each set of label values. A request looks up several, and a tree needs no joined text for that. */
export class LabelTree<Leaf> {
  readonly #labelNames: readonly string[]
  readonly #create: () => Leaf
  readonly #root: Branch<Leaf> = { leaf: undefined, byNext: undefined }

  constructor(labelNames: readonly string[], create: () => Leaf) {
    this.#labelNames = labelNames
    this.#create = create
  }

  /** The leaf of these values, in the order of the label names. It is created on the first use. */
  at(values: readonly string[]): Leaf {
    let branch = this.#root
    for (const value of values) branch = nextOf(branch, value)
    branch.leaf ??= this.#create()
    return branch.leaf
  }

  /** Each set of labels with its leaf. */
  entries(): readonly (readonly [labels: Record<string, string>, leaf: Leaf])[] {
    return [...listLeaves(this.#root, this.#labelNames, {})]
  }
}

function nextOf<Leaf>(branch: Branch<Leaf>, value: string): Branch<Leaf> {
  branch.byNext ??= new Map()
  const known = branch.byNext.get(value)
  if (known !== undefined) return known
  const next: Branch<Leaf> = { leaf: undefined, byNext: undefined }
  branch.byNext.set(value, next)
  return next
}

function* listLeaves<Leaf>(
  { leaf, byNext }: Branch<Leaf>,
  [name, ...others]: readonly string[],
  labels: Readonly<Record<string, string>>,
): Generator<readonly [labels: Record<string, string>, leaf: Leaf]> {
  if (name !== undefined)
    for (const [value, next] of byNext ?? []) yield* listLeaves(next, others, { ...labels, [name]: value })
  else if (leaf !== undefined) yield [labels, leaf]
}
