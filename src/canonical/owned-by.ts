/** A restriction to the objects of one user or of some groups. Either match is enough. */
export interface OwnedBy {
  readonly user: string
  readonly groups: readonly string[]
}
