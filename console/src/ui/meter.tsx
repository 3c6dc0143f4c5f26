import { writeShare } from '../language/format.ts'
import { classNames } from './class-names.ts'

interface MeterProps {
  /** The state of the bar in words, for screen readers. */
  readonly label: string
  /** The spent share: 1 is the limit, and more is possible. */
  readonly share: number
  /** The share held for requests in flight. */
  readonly heldShare?: number
  readonly className?: string
}

const WARN = 0.8
const FULL = 1

/** The share of a limit that is used. */
export function Meter({ label, share, heldShare = 0, className }: MeterProps) {
  const tone = share >= FULL ? 'fill-bad-solid' : share >= WARN ? 'fill-warn-solid' : 'fill-accent-solid'
  const spent = Math.min(100, share * 100)
  const held = Math.min(100 - spent, heldShare * 100)
  return (
    // biome-ignore lint/a11y/useSemanticElements: the look of the element is the browser's own, and differs in each.
    <span
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(Math.min(1, share) * 100)}
      aria-valuetext={writeShare(share)}
      title={label}
      className={classNames('block h-2 overflow-hidden rounded-full bg-sunken', className)}
    >
      <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" className="block size-full">
        <rect width={spent} height="8" className={tone} />
        <rect x={spent} width={held} height="8" className={classNames(tone, 'opacity-40')} />
      </svg>
    </span>
  )
}
