import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

interface MarkedProps {
  readonly children: ReactNode
  readonly icon: IconName
  /** The meaning of the mark, for screen readers and the tooltip. Undefined if there is no mark. */
  readonly text: string | undefined
}

/** The text of a cell followed by a mark, which stays visible if the text is truncated. */
export function Marked({ children, icon, text }: MarkedProps) {
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <span className="truncate">{children}</span>
      {text !== undefined && (
        <span title={text} className="relative inline-flex text-accent">
          <Icon name={icon} className="size-4" />
          <span className="sr-only">{text}</span>
        </span>
      )}
    </span>
  )
}
