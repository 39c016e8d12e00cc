"""What deploys: the bundle, the template, the catalogues, and the pages generated from them."""
