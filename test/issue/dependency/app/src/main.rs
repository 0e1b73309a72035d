fn main() -> smelt::Result<()> {
    let (device, host) = (app::on_device()?, app::on_host());
    println!(
        "{}",
        if device == host {
            "equal".into()
        } else {
            format!("{device} {host}")
        }
    );
    Ok(())
}
