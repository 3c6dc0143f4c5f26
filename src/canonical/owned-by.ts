/** A restriction to the objects of one user and to those of some groups: either is enough. */
export interface OwnedBy {
  readonly user: string
  readonly groups: readonly string[]
}
