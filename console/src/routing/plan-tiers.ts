/** A channel or a target, with the values that decide its share of requests. */
export interface TierMember {
  readonly priority: number
  readonly weight: number
}

export interface Tier<Member extends TierMember> {
  readonly priority: number
  /** The channels of the tier by descending weight, each with its share and the sum of the shares before it. */
  readonly members: readonly { readonly member: Member; readonly share: number; readonly start: number }[]
}

/** Groups channels into tiers, in the order in which requests try them. */
export function planTiers<Member extends TierMember>(channels: readonly Member[]): readonly Tier<Member>[] {
  const byPriority = Map.groupBy(channels, ({ priority }) => priority)
  return [...byPriority]
    .toSorted(([one], [other]) => other - one)
    .map(([priority, members]) => ({ priority, members: shareOut(members) }))
}

function shareOut<Member extends TierMember>(members: readonly Member[]): Tier<Member>['members'] {
  const total = members.reduce((sum, { weight }) => sum + weight, 0)
  let start = 0
  return members
    .toSorted((one, other) => other.weight - one.weight)
    .map((member) => {
      const share = total === 0 ? 0 : member.weight / total
      const placed = { member, share, start }
      start += share
      return placed
    })
}
