import type { ReactNode } from 'react'

interface ScrollRegionProps {
  readonly label: string
  readonly className: string
  /** Whether screen readers announce added content. */
  readonly isLive?: boolean
  readonly isBusy?: boolean
  readonly children: ReactNode
}

/** A scrollable part of a page. It has a name and can have the focus, so that arrow keys scroll it. */
export function ScrollRegion({ label, className, isLive, isBusy, children }: ScrollRegionProps) {
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: users without a mouse scroll it by the keyboard.
      tabIndex={0}
      aria-label={label}
      aria-live={isLive === true ? 'polite' : undefined}
      aria-busy={isBusy}
      className={className}
    >
      {children}
    </section>
  )
}
