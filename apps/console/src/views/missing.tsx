/** Shown instead of a view: why there is nothing to see. */
export const Missing = ({ title, because }: { readonly title: string; readonly because: string }) => (
  <section class="view" aria-labelledby="missing-title">
    <h2 id="missing-title">{title}</h2>
    <p>{because}</p>
  </section>
);
