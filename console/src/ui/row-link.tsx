import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'

interface RowLinkProps extends Pick<LinkProps, 'to' | 'params' | 'search'> {
  readonly children: ReactNode
}

/** A link that covers a whole table row. Other controls of the row are above it. */
export function RowLink({ children, ...link }: RowLinkProps) {
  return (
    <Link
      {...link}
      className="font-medium after:absolute after:inset-0 hover:underline focus-visible:outline-offset-0"
    >
      {children}
    </Link>
  )
}
