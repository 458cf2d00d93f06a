/** `src/page`, as `page-plugin.ts` bundles it. */
declare module 'virtual:page' {
  export const page: {
    readonly html: string
    /** Sources of a Content-Security-Policy. */
    readonly scriptHash: string
    readonly styleHash: string
  }
}
